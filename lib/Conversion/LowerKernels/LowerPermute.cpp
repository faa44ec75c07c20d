//===- LowerPermute.cpp - copies between members, and barriers --------------===//

#include "Conversion/LowerKernels/Lowerings.h"
#include "Conversion/LowerKernels/RuntimeCalls.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace coconet;

void coconet::lowerSymmetricPermute(SymmetricPermuteOp op,
                                    SymbolTable &symbols) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  IndexMath m(builder, loc);
  RuntimeCalls calls(builder, op, &symbols);
  Members members = Members::of(op);
  Type element = cast<MemRefType>(op.getInput().getType()).getElementType();
  OpFoldResult count = m.product(m.dims(op.getInput()));
  Value from = calls.pointerTo(op.getInput());
  Value to = calls.pointerTo(op.getInit());
  ArrayRef<int64_t> sources = op.getSources();
  bool fromOne = llvm::all_equal(sources);
  Value site, table;
  if (members.size() != 1) {
    site = calls.site(fromOne ? "broadcast" : "permute", members);
    table = calls.enter(site, from);
  }
  auto copyFrom = [&](OpFoldResult position) {
    Value source = table ? calls.peer(table, position, 1, 0) : from;
    calls.copy(to, source, element, count);
  };
  if (fromOne && sources[0] < 0) {
    calls.clear(to, element, count);
  } else if (fromOne) {
    copyFrom(m.constant(sources[0]));
  } else {
    Value source = calls.lookup(sources, calls.position(members, site));
    Value none =
        arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(0));
    Value receives = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::sge, source, none);
    auto choice = scf::IfOp::create(builder, loc, receives,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(choice.thenBlock());
    copyFrom(
        arith::IndexCastOp::create(builder, loc, builder.getIndexType(), source)
            .getResult());
    builder.setInsertionPointToStart(choice.elseBlock());
    calls.clear(to, element, count);
  }
  if (table)
    calls.leave(site);
  op.erase();
}

void coconet::lowerBarrier(RankBarrierOp op, SymbolTable &symbols) {
  OpBuilder builder(op);
  RuntimeCalls calls(builder, op, &symbols);
  Members members = Members::of(op);
  if (members.size() != 1) {
    Value site = calls.site("barrier", members);
    calls.enter(site, {});
    calls.leave(site);
  }
  op.erase();
}
