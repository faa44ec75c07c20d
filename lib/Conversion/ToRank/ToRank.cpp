//===- ToRank.cpp - from a distributed to a rank program --------------------===//

#include "Conversion/ToRank/ExplicitShards.h"
#include "Conversion/ToRank/RankTranslator.h"
#include "IR/Refusal.h"
#include "Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace coconet {
#define GEN_PASS_DEF_TORANK
#include "CoCoNetPasses.h.inc"
} // namespace coconet

using namespace mlir;
using namespace coconet;

/// Meshes are bound and the body is one block.
static LogicalResult checkFunction(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return refuse(function, "has several blocks",
                  "control flow of a program is scf.for and scf.if");
  for (Type type : llvm::concat<const Type>(function.getArgumentTypes(),
                                            function.getResultTypes())) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.getElementType().isIntOrFloat()) {
      std::string text;
      llvm::raw_string_ostream(text) << type;
      return refuse(function,
                    "has an argument or a result of type '" + text + "'",
                    "take and return ranked tensors of integers and floats");
    }
  }
  WalkResult result = function.walk([&](Operation *op) {
    for (Type type :
         llvm::concat<const Type>(SmallVector<Type>(op->getOperandTypes()),
                                  SmallVector<Type>(op->getResultTypes()))) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor || !tensor.getEncoding())
        continue;
      MeshAttr mesh = Layout::of(tensor).mesh;
      if (!mesh || !ShapedType::isDynamic(mesh.getNumRanks()))
        continue;
      refuse(op, "lies on a mesh with open sizes " + formatMesh(mesh),
             "run --coconet-bind-mesh before --coconet-to-rank");
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

static LogicalResult convert(func::FuncOp function,
                             const ChannelPlan &channels) {
  if (failed(checkFunction(function)) || failed(makeShardsExplicit(function)))
    return failure();
  OpBuilder builder(function);
  auto target = cast<func::FuncOp>(builder.cloneWithoutRegions(function));
  if (failed(RankTranslator(function, target, channels).translate())) {
    target.erase();
    return failure();
  }
  function.erase();
  return success();
}

namespace {
struct ToRank : coconet::impl::ToRankBase<ToRank> {
  void runOnOperation() override {
    FailureOr<ChannelPlan> channels = planChannels(getOperation());
    if (failed(channels))
      return signalPassFailure();
    auto functions = llvm::to_vector(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions)
      if (!function.isExternal() && failed(convert(function, *channels)))
        return signalPassFailure();
  }
};
} // namespace
