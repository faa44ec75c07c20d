//===- RuntimeCalls.cpp - calls of the run-time library ---------------------===//

#include "Conversion/LowerKernels/RuntimeCalls.h"
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

//===----------------------------------------------------------------------===//
// Sites
//===----------------------------------------------------------------------===//

/// `file:line:col` of the place in the source, or nothing.
static std::string describeLocation(Location loc) {
  std::string text;
  loc->walk([&](Location part) {
    auto file = dyn_cast<FileLineColLoc>(part);
    if (!file)
      return WalkResult::advance();
    llvm::raw_string_ostream(text) << file.getFilename().getValue() << ":"
                                   << file.getLine() << ":" << file.getColumn();
    return WalkResult::interrupt();
  });
  llvm::replace(text, '\n', ' ');
  return text;
}

static std::string describeMembers(const Members &members) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (members.groups) {
    os << "groups";
    for (Attribute group : members.groups) {
      os << " ";
      llvm::interleave(cast<DenseI64ArrayAttr>(group).asArrayRef(), os, ",");
    }
    return text;
  }
  os << "axes";
  for (StringAttr axis : axisList(members.axes))
    os << " " << members.mesh.sizeOf(axis.getValue()) << ":"
       << members.mesh.strideOf(axis.getValue());
  if (!members.axes)
    os << " 1:1";
  return text;
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

Value RuntimeCalls::site(StringRef kind, const Members &members) {
  std::string name;
  if (auto attr = op->getAttrOfType<StringAttr>(nameAttr))
    name = attr.getValue();
  llvm::replace(name, '\n', ' ');
  return text((kind + "\n" + name + "\n" + describeLocation(loc) + "\n" +
               describeMembers(members))
                  .str());
}

//===----------------------------------------------------------------------===//
// Positions and peers
//===----------------------------------------------------------------------===//

Value RuntimeCalls::coordinate(MeshAttr mesh, ArrayRef<StringAttr> axes) {
  IndexMath m(builder, loc);
  Value id = arith::IndexCastOp::create(
      builder, loc, builder.getIndexType(),
      call("coconet_rt_rank_id", builder.getI64Type(), rank()));
  OpFoldResult composed = m.constant(0);
  for (StringAttr axis : axes) {
    int64_t size = mesh.sizeOf(axis.getValue());
    int64_t stride = mesh.strideOf(axis.getValue());
    OpFoldResult along = m.div(id, m.constant(stride));
    if (size * stride != mesh.getNumRanks())
      along = m.rem(along, m.constant(size));
    composed = m.add(m.mul(composed, m.constant(size)), along);
  }
  return m.value(composed);
}

Value RuntimeCalls::position(const Members &members, Value site) {
  if (!members.groups)
    return coordinate(members.mesh, axisList(members.axes));
  return arith::IndexCastOp::create(
      builder, loc, builder.getIndexType(),
      call("coconet_rt_group_position", builder.getI64Type(), {rank(), site}));
}

OpFoldResult RuntimeCalls::size(const Members &members, Value site) {
  if (auto known = members.size())
    return builder.getIndexAttr(*known);
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                    call("coconet_rt_group_size",
                                         builder.getI64Type(), {rank(), site}))
      .getResult();
}

Value RuntimeCalls::enter(Value site, ValueRange pointers) {
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
  return call("coconet_rt_enter", pointer, {rank(), site, buffers, count});
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
