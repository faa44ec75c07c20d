//===- LowerScatter.cpp - additions to rows to loops ------------------------===//

#include "Conversion/LowerKernels/LoopNest.h"
#include "Conversion/LowerKernels/Lowerings.h"
#include "Conversion/ToKernels/ScalarOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace coconet;

/// In the order of the indices, row by row; all buffers are contiguous.
void coconet::lowerScatterRows(ScatterRowsOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  IndexMath m(b, loc);
  RuntimeCalls calls(b, op);
  auto elementOf = [](Value buffer) {
    return cast<MemRefType>(buffer.getType()).getElementType();
  };
  Type from = elementOf(op.getUpdates()), to = elementOf(op.getInit());
  SmallVector<OpFoldResult> rows = m.dims(op.getInit());
  OpFoldResult places = m.product(m.dims(op.getIndices()));
  OpFoldResult length = m.product(ArrayRef(rows).drop_front());
  Value updates = calls.pointerTo(op.getUpdates());
  Value indices = calls.pointerTo(op.getIndices());
  Value init = calls.pointerTo(op.getInit());
  Value limit =
      arith::IndexCastOp::create(b, loc, b.getI64Type(), m.value(rows.front()));
  Value zero = m.value(m.constant(0)), one = m.value(m.constant(1));

  auto walk = scf::ForOp::create(b, loc, zero, m.value(places), one);
  b.setInsertionPointToStart(walk.getBody());
  Value place = walk.getInductionVar();
  Value index = loadElements(b, op, indices, elementOf(op.getIndices()),
                             OpFoldResult(place), 1);
  index = castScalar(b, loc, index, b.getI64Type());
  // A negative index is a large one without sign.
  Value inside =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, index, limit);
  auto choice = scf::IfOp::create(b, loc, inside, /*withElseRegion=*/false);
  b.setInsertionPointToStart(choice.thenBlock());
  Value row = arith::IndexCastOp::create(b, loc, b.getIndexType(), index);
  OpFoldResult source = m.mul(place, length), target = m.mul(row, length);
  auto along = scf::ForOp::create(b, loc, zero, m.value(length), one);
  b.setInsertionPointToStart(along.getBody());
  Value step = along.getInductionVar();
  OpFoldResult at = m.add(target, step);
  Value update = loadElements(b, op, updates, from, m.add(source, step), 1);
  Value sum = combineScalars(b, loc, Reduction::sum,
                             loadElements(b, op, init, to, at, 1),
                             castScalar(b, loc, update, to));
  storeElements(b, op, sum, init, to, at, 1);
  op.erase();
}
