//===- LowerCalls.cpp - kernels that are copies and calls -------------------===//

#include "Conversion/LowerKernels/LoopNest.h"
#include "Conversion/LowerKernels/Lowerings.h"
#include "Conversion/LowerKernels/RuntimeCalls.h"
#include "IR/KernelOps.h"
#include "IR/RankOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace coconet;

static Type elementOf(Value buffer) {
  return cast<MemRefType>(buffer.getType()).getElementType();
}

/// Copy from every member, in order: rows of the innermost dimension, which is
/// contiguous on both sides whatever is cut.
LogicalResult coconet::lowerSymmetricAllToAll(SymmetricAllToAllOp op,
                                              SymbolTable &symbols) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  IndexMath m(builder, loc);
  RuntimeCalls calls(builder, op, &symbols);
  Members members = Members::of(op);
  Type element = elementOf(op.getInput());
  unsigned from = op.getFromDim(), into = op.getIntoDim();
  SmallVector<OpFoldResult> mine = m.dims(op.getInput());
  SmallVector<OpFoldResult> result = m.dims(op.getInit());
  Value site = calls.site("all_to_all", members);
  Value target = calls.pointerTo(op.getInit());
  Value table = calls.enter(site, calls.pointerTo(op.getInput()));
  OpFoldResult parts = m.constant(*members.size());
  Value self = calls.position(members, site);
  // What this rank takes of `into_dim`; what a member gives of `from_dim`.
  Chunk taken = m.chunk(mine[into], *members.size(), self);

  auto forEach = [&](OpFoldResult size, function_ref<void(Value)> body) {
    auto loop = scf::ForOp::create(builder, loc, m.value(m.constant(0)),
                                   m.value(size), m.value(m.constant(1)));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    body(loop.getInductionVar());
  };
  forEach(parts, [&](Value member) {
    Value source = calls.peer(table, member, 1, 0);
    SmallVector<OpFoldResult> theirs = mine, block = result;
    Chunk given{m.constant(0), mine[from]};
    if (from != into) {
      given = m.chunk(result[from], *members.size(), member);
      theirs[from] = block[from] = given.length;
    } else { // Blocks of one's own dimension are exchanged.
      block[from] = taken.length;
      given = m.chunk(result[from], *members.size(), member);
    }
    unsigned rank = mine.size();
    std::function<void(unsigned, OpFoldResult, OpFoldResult)> nest =
        [&](unsigned dim, OpFoldResult in, OpFoldResult out) {
          auto step = [&](OpFoldResult index) {
            OpFoldResult i = index, o = index;
            if (dim == into)
              i = m.add(i, taken.start);
            if (dim == from)
              o = m.add(o, given.start);
            return std::pair(m.add(m.mul(in, theirs[dim]), i),
                             m.add(m.mul(out, result[dim]), o));
          };
          if (dim + 1 == rank) {
            auto [i, o] = step(m.constant(0));
            return calls.copy(calls.advance(target, element, o),
                              calls.advance(source, element, i), element,
                              block[dim]);
          }
          forEach(block[dim], [&](Value index) {
            auto [i, o] = step(index);
            nest(dim + 1, i, o);
          });
        };
    nest(0, m.constant(0), m.constant(0));
  });
  calls.leave(site);
  op.erase();
  return success();
}

LogicalResult coconet::lowerGemm(GemmOp op, SymbolTable &symbols) {
  OpBuilder builder(op);
  IndexMath m(builder, op.getLoc());
  RuntimeCalls calls(builder, op, &symbols);
  std::string dtype;
  llvm::raw_string_ostream(dtype) << elementOf(op.getLhs());
  SmallVector<OpFoldResult> a = m.dims(op.getLhs()), c = m.dims(op.getInit());
  OpFoldResult rows = c[c.size() - 2], columns = c[c.size() - 1];
  OpFoldResult depth = a[a.size() - (op.getTransposeLhs() ? 2 : 1)];
  OpFoldResult batch = m.product(ArrayRef(c).drop_back(2));
  auto operand = [&](Value buffer) {
    SmallVector<OpFoldResult> strides = stridesOf(m, buffer);
    size_t rank = strides.size();
    // A matrix without batch dimensions is shared.
    OpFoldResult batchStride = rank == 2 ? m.constant(0) : strides[rank - 3];
    return SmallVector<Value>{calls.pointerTo(buffer), calls.i64(batchStride),
                              calls.i64(strides[rank - 2])};
  };
  SmallVector<Value> arguments = {calls.text(dtype),
                                  calls.i64(m.constant(op.getTransposeLhs())),
                                  calls.i64(m.constant(op.getTransposeRhs())),
                                  calls.i64(batch),
                                  calls.i64(rows),
                                  calls.i64(columns),
                                  calls.i64(depth)};
  arguments.append(operand(op.getLhs()));
  arguments.append(operand(op.getRhs()));
  arguments.append({calls.pointerTo(op.getInit()), calls.i64(m.constant(0))});
  calls.call("coconet_rt_matmul", Type(), arguments);
  op.erase();
  return success();
}

void coconet::lowerCheckSize(RankCheckSizeOp op, SymbolTable &symbols) {
  OpBuilder builder(op);
  RuntimeCalls calls(builder, op, &symbols);
  calls.call("coconet_rt_check_size", Type(),
             {calls.rank(), calls.site(op.getWhat(), Members()),
              calls.i64(op.getExpected()), calls.i64(op.getActual())});
  op.erase();
}

void coconet::lowerCheckFinite(RankCheckFiniteOp op, SymbolTable &symbols) {
  OpBuilder builder(op);
  IndexMath m(builder, op.getLoc());
  RuntimeCalls calls(builder, op, &symbols);
  std::string dtype;
  llvm::raw_string_ostream(dtype) << elementOf(op.getOperand());
  calls.call("coconet_rt_check_finite", Type(),
             {calls.rank(), calls.site(op.getWhat(), Members()),
              calls.text(dtype), calls.pointerTo(op.getOperand()),
              calls.i64(m.product(m.dims(op.getOperand())))});
  op.erase();
}

void coconet::lowerCoordinate(RankCoordinateOp op, SymbolTable &symbols) {
  OpBuilder builder(op);
  op.replaceAllUsesWith(RuntimeCalls(builder, op, &symbols)
                            .coordinate(op.getMesh(), axisList(op.getAxes())));
  op.erase();
}
