//===- Sites.cpp - who meets, where, and at which position ------------------===//

#include "Conversion/LowerKernels/RuntimeCalls.h"
#include "IR/OverlapOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace coconet;

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
