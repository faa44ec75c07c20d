//===- LowerChannels.cpp - send and receive as run-time calls ---------------===//
//
// Sender and receiver of a channel meet at one site, of which they are the two
// members. Each publishes its buffer, null for the sender, and the sizes of all
// dimensions, and waits for the other one, at once or later.
//
//===----------------------------------------------------------------------===//

#include "Conversion/LowerKernels/Lowerings.h"
#include "Conversion/LowerKernels/RuntimeCalls.h"
#include "IR/ChannelOps.h"
#include "IR/OverlapOps.h"

using namespace mlir;
using namespace coconet;

static constexpr int64_t receiver = 1;

static LLVM::LLVMPointerType pointerType(OpBuilder &builder) {
  return LLVM::LLVMPointerType::get(builder.getContext());
}

/// The sizes of a buffer, to be published beside it.
static void addSizes(OpBuilder &builder, Location loc, RuntimeCalls &calls,
                     ArrayRef<OpFoldResult> sizes,
                     SmallVectorImpl<Value> &published) {
  for (OpFoldResult size : sizes)
    published.push_back(LLVM::IntToPtrOp::create(
        builder, loc, pointerType(builder), calls.i64(size)));
}

/// A contiguous buffer that begins at `pointer`.
static Value buildBuffer(OpBuilder &builder, Location loc, RuntimeCalls &calls,
                         Value pointer, MemRefType type,
                         ArrayRef<OpFoldResult> sizes) {
  MLIRContext *context = builder.getContext();
  Type i64 = builder.getI64Type();
  SmallVector<Type> fields = {pointer.getType(), pointer.getType(), i64};
  if (type.getRank())
    fields.append(2, LLVM::LLVMArrayType::get(i64, type.getRank()));
  Value held = LLVM::UndefOp::create(
      builder, loc, LLVM::LLVMStructType::getLiteral(context, fields));
  auto insert = [&](Value value, ArrayRef<int64_t> position) {
    held = LLVM::InsertValueOp::create(builder, loc, held, value, position);
  };
  IndexMath m(builder, loc);
  insert(pointer, 0);
  insert(pointer, 1);
  insert(calls.i64(m.constant(0)), 2);
  OpFoldResult stride = m.constant(1);
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    insert(calls.i64(sizes[dim]), {3, dim});
    insert(calls.i64(stride), {4, dim});
    stride = m.mul(stride, sizes[dim]);
  }
  return UnrealizedConversionCastOp::create(builder, loc, type, held)
      .getResult(0);
}

void coconet::lowerSendBegin(SymmetricSendBeginOp op, SymbolTable &symbols) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  IndexMath m(builder, loc);
  RuntimeCalls calls(builder, op, &symbols);
  auto type = cast<MemRefType>(op.getResult().getType());
  SmallVector<OpFoldResult> sizes;
  unsigned next = 0;
  for (int64_t size : type.getShape())
    sizes.push_back(ShapedType::isDynamic(size)
                        ? OpFoldResult(op.getSizes()[next++])
                        : m.constant(size));
  Value site =
      calls.channelSite(op.getChannel(), op.getSenders(), op.getReceivers());
  SmallVector<Value> published = {
      LLVM::ZeroOp::create(builder, loc, pointerType(builder))};
  addSizes(builder, loc, calls, sizes, published);
  int64_t count = published.size();
  calls.start(site, published);
  Value table = calls.wait(site);
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    Value theirs = LLVM::PtrToIntOp::create(
        builder, loc, builder.getI64Type(),
        calls.peer(table, m.constant(receiver), count, 1 + dim));
    calls.call("coconet_rt_check_size", Type(),
               {calls.rank(), site, theirs, calls.i64(sizes[dim])});
  }
  Value pointer = calls.peer(table, m.constant(receiver), count, 0);
  op.getResult().replaceAllUsesWith(
      buildBuffer(builder, loc, calls, pointer, type, sizes));
  op.erase();
}

void coconet::lowerSendEnd(SymmetricSendEndOp op, SymbolTable &symbols) {
  OpBuilder builder(op);
  RuntimeCalls calls(builder, op, &symbols);
  calls.leave(
      calls.channelSite(op.getChannel(), op.getSenders(), op.getReceivers()));
  op.erase();
}

/// Publishes the buffer to be written.
template <typename OpTy>
static void startRecv(OpBuilder &builder, RuntimeCalls &calls, Value site,
                      OpTy op) {
  IndexMath m(builder, op.getLoc());
  SmallVector<Value> published = {calls.pointerTo(op.getInit())};
  addSizes(builder, op.getLoc(), calls, m.dims(op.getInit()), published);
  calls.start(site, published);
}

void coconet::lowerRecvStart(SymmetricRecvStartOp op, SymbolTable &symbols) {
  OpBuilder builder(op);
  RuntimeCalls calls(builder, op, &symbols);
  startRecv(
      builder, calls,
      calls.channelSite(op.getChannel(), op.getSenders(), op.getReceivers()),
      op);
  op.erase();
}

void coconet::lowerRecv(SymmetricRecvOp op, SymbolTable &symbols) {
  OpBuilder builder(op);
  RuntimeCalls calls(builder, op, &symbols);
  Value site =
      calls.channelSite(op.getChannel(), op.getSenders(), op.getReceivers());
  if (!op->hasAttr(startedAttr))
    startRecv(builder, calls, site, op);
  calls.wait(site);
  calls.leave(site);
  op.erase();
}
