//===- StageRanks.cpp - which ranks run which function ----------------------===//

#include "Transforms/StageRanks.h"
#include "Analysis/Channels.h"
#include "IR/Layout.h"
#include "IR/Refusal.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace coconet;

static int64_t stageOf(FunctionOpInterface function) {
  return function->getAttrOfType<IntegerAttr>(stageAttr).getInt();
}

/// Functions with a stage, in order of the stages, which differ.
static FailureOr<SmallVector<FunctionOpInterface>>
sortStages(ArrayRef<FunctionOpInterface> functions) {
  SmallVector<FunctionOpInterface> stages;
  for (FunctionOpInterface function : functions)
    if (function->hasAttr(stageAttr))
      stages.push_back(function);
  llvm::stable_sort(stages, [](FunctionOpInterface a, FunctionOpInterface b) {
    return stageOf(a) < stageOf(b);
  });
  for (size_t i = 1; i < stages.size(); ++i) {
    if (stageOf(stages[i - 1]) != stageOf(stages[i]))
      continue;
    InFlightDiagnostic diag = emitError(stages[i].getLoc());
    diag << "@" << stages[i].getName() << " has coconet.stage "
         << stageOf(stages[i]) << ", as another function has";
    diag.attachNote(stages[i - 1].getLoc())
        << "the other one is here; stages have different numbers";
    return failure();
  }
  return stages;
}

/// A mesh has as many ranks as the list, and no rank is in two lists.
static LogicalResult checkRanks(FunctionOpInterface function,
                                DenseMap<int64_t, FunctionOpInterface> &taken) {
  ArrayRef<int64_t> ranks = ranksOf(function);
  MeshAttr mesh = findMesh(function);
  if (mesh && mesh.getNumRanks() != int64_t(ranks.size()))
    return refuse(function,
                  "@" + function.getName() + " has " + Twine(ranks.size()) +
                      " ranks and the mesh " + formatMesh(mesh),
                  "list one rank for each of the mesh in coconet.ranks");
  for (int64_t rank : ranks) {
    auto [entry, fresh] = taken.try_emplace(rank, function);
    if (fresh)
      continue;
    InFlightDiagnostic diag = emitError(function.getLoc());
    diag << "rank " << rank << " runs @" << function.getName()
         << " and another function";
    diag.attachNote(entry->second.getLoc())
        << "the other one is here; a rank runs one function";
    return diag;
  }
  return success();
}

LogicalResult coconet::assignStageRanks(ModuleOp module) {
  SmallVector<FunctionOpInterface> functions = findStages(module);
  auto stages = sortStages(functions);
  if (failed(stages))
    return failure();
  int64_t next = 0;
  for (FunctionOpInterface function : *stages) {
    MeshAttr mesh = findMesh(function);
    if (!mesh)
      return refuse(
          function,
          "@" + function.getName() +
              " has a coconet.stage and no mesh, so the number of its "
              "ranks is not known",
          "give it coconet.mesh");
    SmallVector<int64_t> ranks(mesh.getNumRanks());
    for (int64_t &rank : ranks)
      rank = next++;
    function->setAttr(ranksAttr,
                      DenseI64ArrayAttr::get(module.getContext(), ranks));
  }
  DenseMap<int64_t, FunctionOpInterface> taken;
  for (FunctionOpInterface function : functions)
    if (failed(checkRanks(function, taken)))
      return failure();
  for (int64_t rank = 0; rank < int64_t(taken.size()); ++rank)
    if (!taken.contains(rank))
      return refuse(functions.front(),
                    "and the other functions leave rank " + Twine(rank) +
                        " out of " + Twine(taken.size()),
                    "number the ranks of all functions from 0, without a gap");
  return success();
}
