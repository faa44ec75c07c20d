//===- RuntimeCalls.cpp - calls of the run-time library ---------------------===//

#include "Conversion/LowerKernels/RuntimeCalls.h"
#include "IR/OverlapOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/MapVector.h"
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

/// The ranks that run the function of `op`; empty where all of them do.
static ArrayRef<int64_t> ranksOf(Operation *op) {
  auto ranks =
      op->getParentOfType<func::FuncOp>()->getAttrOfType<DenseI64ArrayAttr>(
          ranksAttr);
  return ranks ? ranks.asArrayRef() : ArrayRef<int64_t>();
}

/// A mesh numbers the ranks of the function, by their positions, or those of the
/// whole program.
static bool numbersPositions(MeshAttr mesh, ArrayRef<int64_t> ranks) {
  return mesh && mesh.getNumRanks() == int64_t(ranks.size());
}

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

using GroupList = SmallVector<SmallVector<int64_t>>;

static std::string describeGroups(const GroupList &groups) {
  std::string text = "groups";
  llvm::raw_string_ostream os(text);
  for (ArrayRef<int64_t> group : groups) {
    os << " ";
    llvm::interleave(group, os, ",");
  }
  return text;
}

/// Ranks of the mesh that differ along the axes only, by position.
static GroupList groupsAlong(MeshAttr mesh, ArrayRef<StringAttr> axes) {
  llvm::MapVector<int64_t, SmallVector<std::pair<int64_t, int64_t>>> found;
  for (int64_t rank = 0; rank < mesh.getNumRanks(); ++rank) {
    int64_t position = 0, first = rank;
    for (StringAttr axis : axes) {
      int64_t size = mesh.sizeOf(axis.getValue());
      int64_t stride = mesh.strideOf(axis.getValue());
      position = position * size + rank / stride % size;
      first -= rank / stride % size * stride;
    }
    found[first].emplace_back(position, rank);
  }
  GroupList groups;
  for (auto &[first, members] : found) {
    llvm::sort(members);
    groups.emplace_back(llvm::make_second_range(members));
  }
  return groups;
}

/// Whether a group has members among `ranks` and others.
static bool isPartly(ArrayRef<int64_t> group, ArrayRef<int64_t> ranks) {
  size_t inside = llvm::count_if(
      group, [&](int64_t member) { return llvm::is_contained(ranks, member); });
  return inside && inside < group.size();
}

/// The groups as numbers of ranks of the program, where explicit or where
/// `ranks`, which run the function, are not all; empty elsewhere.
static GroupList findGroups(const Members &members, ArrayRef<int64_t> ranks) {
  GroupList groups;
  if (members.groups)
    for (Attribute group : members.groups)
      groups.emplace_back(cast<DenseI64ArrayAttr>(group).asArrayRef());
  else if (!ranks.empty() && members.axes)
    groups = groupsAlong(members.mesh, axisList(members.axes));
  if (numbersPositions(members.mesh, ranks))
    for (SmallVector<int64_t> &group : groups)
      for (int64_t &member : group)
        member = ranks[member];
  return groups;
}

bool RuntimeCalls::isShared(const Members &members) {
  ArrayRef<int64_t> ranks = ranksOf(op);
  return !ranks.empty() &&
         llvm::any_of(findGroups(members, ranks), [&](ArrayRef<int64_t> group) {
           return isPartly(group, ranks);
         });
}

static std::string describeMembers(const Members &members,
                                   ArrayRef<int64_t> ranks) {
  GroupList groups = findGroups(members, ranks);
  if (!groups.empty())
    return describeGroups(groups);
  std::string text;
  llvm::raw_string_ostream os(text);
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
  // What is started at one place and waited for at another is one site: its name
  // is the kind and a number.
  StringRef known = kind;
  if (auto attr = op->getAttrOfType<StringAttr>(startedAttr)) {
    known = attr.getValue();
    kind = known.rsplit(' ').first;
  }
  std::string shared =
      isShared(members) ? ("shared " + kind + " ").str() : std::string();
  return text((known + "\n" + name + "\n" + describeLocation(loc) + "\n" +
               shared + describeMembers(members, ranksOf(op)))
                  .str());
}

Value RuntimeCalls::channelSite(StringRef channel, ArrayRef<int64_t> senders,
                                ArrayRef<int64_t> receivers) {
  // Both ends carry both locations, or none: their sites are one.
  std::string location;
  loc->walk([&](Location part) {
    auto end = dyn_cast<NameLoc>(part);
    if (!end || (end.getName() != "send" && end.getName() != "recv"))
      return WalkResult::advance();
    std::string place = describeLocation(end.getChildLoc());
    if (!place.empty())
      location += (location.empty() ? "" : " to ") + place;
    return WalkResult::skip();
  });
  GroupList pairs;
  for (auto [sender, receiver] : llvm::zip(senders, receivers))
    pairs.push_back({sender, receiver});
  return text(
      ("channel\n" + channel + "\n" + location + "\n" + describeGroups(pairs))
          .str());
}

//===----------------------------------------------------------------------===//
// Positions and peers
//===----------------------------------------------------------------------===//

Value RuntimeCalls::rankIn(MeshAttr mesh) {
  IndexMath m(builder, loc);
  ArrayRef<int64_t> ranks = ranksOf(op);
  auto asIndex = [&](Value number) -> Value {
    return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                      number);
  };
  bool isPosition = numbersPositions(mesh, ranks);
  for (size_t i = 1; isPosition && i < ranks.size(); ++i)
    if (ranks[i] != ranks[0] + int64_t(i)) { // The run time knows the position.
      Value all = text("ranks\n\n\n" + describeGroups({to_vector(ranks)}));
      return asIndex(call("coconet_rt_group_position", builder.getI64Type(),
                          {rank(), all}));
    }
  Value id = asIndex(call("coconet_rt_rank_id", builder.getI64Type(), rank()));
  return isPosition ? m.value(m.sub(id, m.constant(ranks[0]))) : id;
}

Value RuntimeCalls::coordinate(MeshAttr mesh, ArrayRef<StringAttr> axes) {
  IndexMath m(builder, loc);
  Value id = rankIn(mesh);
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
