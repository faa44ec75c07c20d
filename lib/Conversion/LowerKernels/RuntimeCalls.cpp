//===- RuntimeCalls.cpp - calls of the run-time library ---------------------===//

#include "Conversion/LowerKernels/RuntimeCalls.h"
#include "IR/OverlapOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace coconet;

Members Members::of(Operation *op) {
  return {op->getAttrOfType<MeshAttr>("mesh"),
          op->getAttrOfType<ArrayAttr>("axes"),
          op->getAttrOfType<ArrayAttr>("groups")};
}

std::optional<int64_t> Members::size() const {
  if (!groups)
    return mesh.sizeOf(axisList(axes));
  int64_t first = cast<DenseI64ArrayAttr>(groups[0]).size();
  for (Attribute group : groups)
    if (cast<DenseI64ArrayAttr>(group).size() != first)
      return std::nullopt;
  return first;
}

Type coconet::memoryType(Type element) {
  return element.isInteger(1) ? IntegerType::get(element.getContext(), 8)
                              : element;
}

Value RuntimeCalls::rank() {
  return op->getParentOfType<func::FuncOp>().getArgument(0);
}

Value RuntimeCalls::i64(OpFoldResult value) {
  if (auto known = getConstantIntValue(value))
    return LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                    builder.getI64IntegerAttr(*known));
  return arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                    cast<Value>(value));
}

Value RuntimeCalls::call(StringRef name, Type result, ValueRange arguments) {
  auto function = symbols->lookup<LLVM::LLVMFuncOp>(name);
  if (!function) {
    auto module = cast<ModuleOp>(symbols->getOp());
    OpBuilder at = OpBuilder::atBlockBegin(module.getBody());
    Type returned = result ? result : LLVM::LLVMVoidType::get(at.getContext());
    SmallVector<Type> types(arguments.getTypes());
    function =
        LLVM::LLVMFuncOp::create(at, module.getLoc(), name,
                                 LLVM::LLVMFunctionType::get(returned, types));
    symbols->insert(function);
  }
  auto made = LLVM::CallOp::create(builder, loc, function, arguments);
  return result ? made.getResult() : Value();
}

Value RuntimeCalls::text(StringRef contents) {
  std::string bytes = contents.str();
  bytes.push_back('\0');
  // Equal texts are one global, found by its name.
  std::string name =
      "coconet_text_" + llvm::utohexstr(llvm::xxh3_64bits(bytes), true);
  auto global = symbols->lookup<LLVM::GlobalOp>(name);
  while (global && cast<StringAttr>(global.getValueOrNull()) != bytes) {
    name += "_";
    global = symbols->lookup<LLVM::GlobalOp>(name);
  }
  if (!global) {
    auto module = cast<ModuleOp>(symbols->getOp());
    OpBuilder at = OpBuilder::atBlockBegin(module.getBody());
    auto type = LLVM::LLVMArrayType::get(at.getI8Type(), bytes.size());
    global =
        LLVM::GlobalOp::create(at, module.getLoc(), type,
                               /*isConstant=*/true, LLVM::Linkage::Internal,
                               name, at.getStringAttr(bytes));
    symbols->insert(global);
  }
  return LLVM::AddressOfOp::create(builder, loc, global);
}

//===----------------------------------------------------------------------===//
// Meetings and peers
//===----------------------------------------------------------------------===//

Value RuntimeCalls::enter(Value site, ValueRange pointers) {
  // The start has published them.
  if (op->hasAttr(startedAttr))
    return wait(site);
  return publish("coconet_rt_enter",
                 LLVM::LLVMPointerType::get(builder.getContext()), site,
                 pointers);
}

Value RuntimeCalls::wait(Value site) {
  return call("coconet_rt_wait",
              LLVM::LLVMPointerType::get(builder.getContext()), {rank(), site});
}

void RuntimeCalls::start(Value site, ValueRange pointers) {
  publish("coconet_rt_start", Type(), site, pointers);
}

Value RuntimeCalls::publish(StringRef function, Type result, Value site,
                            ValueRange pointers) {
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Value count = i64(builder.getIndexAttr(pointers.size()));
  Value buffers;
  {
    // One slot for the whole call, not one for each turn of a loop.
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(
        &op->getParentOfType<func::FuncOp>().getBody().front());
    buffers = LLVM::AllocaOp::create(
        builder, loc, pointer, pointer,
        i64(builder.getIndexAttr(std::max<size_t>(1, pointers.size()))));
  }
  for (auto [index, value] : llvm::enumerate(pointers))
    LLVM::StoreOp::create(
        builder, loc, value,
        advance(buffers, pointer, builder.getIndexAttr(index)));
  return call(function, result, {rank(), site, buffers, count});
}

void RuntimeCalls::leave(Value site) {
  call("coconet_rt_leave", Type(), {rank(), site});
}

Value RuntimeCalls::peer(Value table, OpFoldResult position, int64_t count,
                         int64_t slot) {
  IndexMath m(builder, loc);
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  OpFoldResult entry =
      m.add(m.mul(position, m.constant(count)), m.constant(slot));
  return LLVM::LoadOp::create(builder, loc, pointer,
                              advance(table, pointer, entry));
}

Value RuntimeCalls::pointerTo(Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  IndexMath m(builder, loc);
  Value address = memref::ExtractAlignedPointerAsIndexOp::create(
      builder, loc, builder.getIndexType(), memref);
  Value integer =
      arith::IndexCastOp::create(builder, loc, builder.getI64Type(), address);
  Value pointer = LLVM::IntToPtrOp::create(
      builder, loc, LLVM::LLVMPointerType::get(builder.getContext()), integer);
  if (type.getLayout().isIdentity())
    return pointer;
  auto data = memref::ExtractStridedMetadataOp::create(builder, loc, memref);
  return advance(pointer, type.getElementType(),
                 data.getConstifiedMixedOffset());
}

Value RuntimeCalls::advance(Value pointer, Type element, OpFoldResult offset) {
  if (isZeroInteger(offset))
    return pointer;
  return LLVM::GEPOp::create(builder, loc, pointer.getType(),
                             memoryType(element), pointer, i64(offset));
}

static OpFoldResult bytesOf(IndexMath &m, Type element, OpFoldResult count) {
  int64_t size = std::max(1u, element.getIntOrFloatBitWidth() / 8);
  return m.mul(count, m.constant(size));
}

void RuntimeCalls::copy(Value to, Value from, Type element,
                        OpFoldResult count) {
  IndexMath m(builder, loc);
  LLVM::MemcpyOp::create(builder, loc, to, from,
                         i64(bytesOf(m, element, count)),
                         /*isVolatile=*/false);
}

void RuntimeCalls::clear(Value to, Type element, OpFoldResult count) {
  IndexMath m(builder, loc);
  Value zero = LLVM::ConstantOp::create(builder, loc, builder.getI8Type(),
                                        builder.getI8IntegerAttr(0));
  LLVM::MemsetOp::create(builder, loc, to, zero,
                         i64(bytesOf(m, element, count)),
                         /*isVolatile=*/false);
}

Value RuntimeCalls::lookup(ArrayRef<int64_t> table, Value index) {
  std::string name = "coconet_table";
  for (int64_t entry : table)
    name += entry < 0 ? "_x" : "_" + std::to_string(entry);
  // Long tables share a prefix only: the hash stands for the rest.
  if (name.size() > 64)
    name = "coconet_table_" + llvm::utohexstr(llvm::xxh3_64bits(name), true);
  auto type = LLVM::LLVMArrayType::get(builder.getI64Type(), table.size());
  auto values = builder.getI64TensorAttr(table);
  auto global = symbols->lookup<LLVM::GlobalOp>(name);
  while (global && global.getValueOrNull() != values) {
    name += "_";
    global = symbols->lookup<LLVM::GlobalOp>(name);
  }
  if (!global) {
    OpBuilder at =
        OpBuilder::atBlockBegin(cast<ModuleOp>(symbols->getOp()).getBody());
    global = LLVM::GlobalOp::create(at, symbols->getOp()->getLoc(), type,
                                    /*isConstant=*/true,
                                    LLVM::Linkage::Internal, name, values);
    symbols->insert(global);
  }
  Value address = LLVM::AddressOfOp::create(builder, loc, global);
  return LLVM::LoadOp::create(builder, loc, builder.getI64Type(),
                              advance(address, builder.getI64Type(), index));
}
