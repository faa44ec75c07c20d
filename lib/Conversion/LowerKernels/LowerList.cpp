//===- LowerList.cpp - kernels over lists to a loop over tables -------------===//

#include "Conversion/LowerKernels/LoopNest.h"
#include "Conversion/LowerKernels/Lowerings.h"
#include "IR/ListOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace coconet;

/// Up to so many members, loops over them are written out.
static constexpr int64_t maxUnrolled = 8;

namespace {

/// The code is the same for any number of tensors, but for filling a table of
/// their addresses and one of their sizes.
class ListLowering {
public:
  ListLowering(ListKernelOp op, SymbolTable &symbols)
      : op(op), builder(op), m(builder, op.getLoc()),
        calls(builder, op, &symbols), loc(op.getLoc()), count(op.getCount()),
        pointer(LLVM::LLVMPointerType::get(op.getContext())) {}

  void lower();

private:
  unsigned numLists() { return op.getAccesses().size(); }
  ValueRange tensorsOf(unsigned list);
  bool isWhole(unsigned list) {
    Access access = op.accessOf(list);
    return access == Access::reduce || access == Access::slice ||
           access == Access::gather;
  }
  bool isPublished(unsigned list) {
    if (op.getRoot())
      return list < op.getNumInputLists();
    return op.accessOf(list) == Access::reduce ||
           op.accessOf(list) == Access::gather;
  }
  StringRef kind();
  Value allocate(Type type, int64_t entries);
  void fillTables();
  Value sizeAt(Value position);
  void enterGroup();
  void buildBody(Value position);
  /// Entry of a table of pointers.
  Value load(Value table, OpFoldResult entry);
  Stream makeStream(unsigned list, Value position, const Chunk &chunk);

  ListKernelOp op;
  OpBuilder builder;
  IndexMath m;
  RuntimeCalls calls;
  Location loc;
  int64_t count;
  Type pointer;

  /// Lists in the order of the table: published ones first.
  SmallVector<unsigned> order;
  unsigned numPublished = 0;
  /// This rank's addresses and the sizes; `peers` has those of all members.
  Value addresses, sizes, peers, site, self;
  /// Instead of `sizes`, where they are static.
  SmallVector<int64_t> knownSizes;
  OpFoldResult members;
  /// The sizes are those of whole tensors.
  bool wholeSizes = false;
  SmallVector<Stream> scalars;
};

} // namespace

ValueRange ListLowering::tensorsOf(unsigned list) {
  unsigned inputs = op.getNumInputLists();
  if (list < inputs)
    return op.getInputs().slice(list * count, count);
  return op.getInits().slice((list - inputs) * count, count);
}

/// The collective that the kernel does, for messages.
StringRef ListLowering::kind() {
  bool reduces = false, gathers = false;
  for (unsigned list = 0; list < numLists(); ++list) {
    reduces |= op.accessOf(list) == Access::reduce;
    gathers |= op.accessOf(list) == Access::gather;
  }
  if (op.getRoot())
    return "broadcast";
  return !reduces ? "all_gather" : gathers ? "all_reduce" : "reduce_scatter";
}

/// Memory of the whole call, not of each turn of a loop.
Value ListLowering::allocate(Type type, int64_t entries) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(
      &op->getParentOfType<func::FuncOp>().getBody().front());
  return LLVM::AllocaOp::create(builder, loc, pointer, type,
                                calls.i64(m.constant(entries)));
}

void ListLowering::fillTables() {
  for (bool published : {true, false})
    for (unsigned list = 0; list < numLists(); ++list)
      if (isPublished(list) == published)
        order.push_back(list);
  numPublished =
      llvm::count_if(order, [&](unsigned l) { return isPublished(l); });
  SmallVector<Value> buffers;
  for (unsigned list : order)
    llvm::append_range(buffers, tensorsOf(list));
  addresses = AddressTableOp::create(builder, loc, pointer, buffers);
  // A list that tells the sizes; all others are single elements.
  std::optional<unsigned> sized;
  for (unsigned list = 0; list < numLists(); ++list)
    if (op.accessOf(list) != Access::shared &&
        op.accessOf(list) != Access::fold &&
        (!sized || (isWhole(list) && !isWhole(*sized))))
      sized = list;
  wholeSizes = isWhole(*sized);
  for (Value tensor : tensorsOf(*sized)) {
    OpFoldResult size = m.product(m.dims(tensor));
    if (auto known = getConstantIntValue(size))
      knownSizes.push_back(*known);
  }
  if (int64_t(knownSizes.size()) == count)
    return;
  knownSizes.clear();
  sizes = allocate(builder.getI64Type(), count);
  for (auto [index, tensor] : llvm::enumerate(tensorsOf(*sized)))
    LLVM::StoreOp::create(
        builder, loc, calls.i64(m.product(m.dims(tensor))),
        calls.advance(sizes, builder.getI64Type(), m.constant(index)));
}

Value ListLowering::sizeAt(Value position) {
  Value size;
  if (sizes)
    size = LLVM::LoadOp::create(
        builder, loc, builder.getI64Type(),
        calls.advance(sizes, builder.getI64Type(), position));
  else
    size = calls.lookup(knownSizes, position);
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(), size);
}

void ListLowering::enterGroup() {
  members = m.constant(1);
  if (!op.getMesh())
    return;
  Members group = Members::of(op);
  site = calls.site(kind(), group);
  members = calls.size(group, site);
  if (isOneInteger(members))
    return;
  self = calls.position(group, site);
  if (numPublished)
    peers = calls.call("coconet_rt_enter", pointer,
                       {calls.rank(), site, addresses,
                        calls.i64(m.constant(numPublished * count))});
}

Value ListLowering::load(Value table, OpFoldResult entry) {
  return LLVM::LoadOp::create(builder, loc, pointer,
                              calls.advance(table, pointer, entry));
}

Stream ListLowering::makeStream(unsigned list, Value position,
                                const Chunk &chunk) {
  Stream stream;
  stream.element =
      cast<MemRefType>(tensorsOf(list).front().getType()).getElementType();
  Access access = op.accessOf(list);
  bool fixed = access == Access::shared || access == Access::fold;
  stream.strides = {m.constant(fixed ? 0 : 1)};
  OpFoldResult offset = isWhole(list) ? chunk.start : m.constant(0);
  if (access == Access::reduce || access == Access::fold) {
    unsigned place = 0;
    for (unsigned other = 0; other < list; ++other)
      place += op.accessOf(other) == Access::reduce ||
               op.accessOf(other) == Access::fold;
    (access == Access::fold ? stream.fold : stream.reduction) =
        cast<ReductionAttr>(op.getReductions()[place]).getValue();
  }
  stream.members = members;
  int64_t slot = llvm::find(order, list) - order.begin();
  OpFoldResult entry = m.add(m.constant(slot * count), position);
  auto base = [&](Value table, OpFoldResult at) {
    return calls.advance(load(table, at), stream.element, offset);
  };
  if (!peers || !isPublished(list)) {
    stream.bases = {base(addresses, entry)};
    return stream;
  }
  int64_t row = numPublished * count;
  if (auto root = op.getRoot()) {
    stream.bases = {
        base(peers, m.add(m.constant(int64_t(*root) * row), entry))};
    return stream;
  }
  auto known = getConstantIntValue(members);
  if (!known || *known > maxUnrolled) {
    stream.table = calls.advance(peers, pointer, entry);
    stream.count = row;
    stream.offset = offset;
    return stream;
  }
  for (int64_t member = 0; member < *known; ++member)
    stream.bases.push_back(base(peers, m.add(m.constant(member * row), entry)));
  return stream;
}

void ListLowering::buildBody(Value position) {
  Value size = sizeAt(position);
  Chunk chunk{m.constant(0), size};
  if (self && wholeSizes && !op.getRoot()) {
    auto parts = getConstantIntValue(members);
    chunk = parts ? m.chunk(size, *parts, self) : m.chunk(size, members, self);
  }
  LoopNest nest;
  nest.sizes = {chunk.length};
  for (unsigned list = 0; list < numLists(); ++list)
    (list < op.getNumInputLists() ? nest.inputs : nest.outputs)
        .push_back(makeStream(list, position, chunk));
  nest.inputs.append(scalars.begin(), scalars.end());
  nest.body = &op.getBody().front();
  buildLoopNest(builder, op, nest);
}

void ListLowering::lower() {
  fillTables();
  enterGroup();
  for (Value scalar : op.getScalars()) {
    Stream stream;
    stream.element = cast<MemRefType>(scalar.getType()).getElementType();
    stream.bases = {calls.pointerTo(scalar)};
    stream.strides = {m.constant(0)};
    scalars.push_back(stream);
  }
  auto loop =
      scf::ForOp::create(builder, loc, m.value(m.constant(0)),
                         m.value(m.constant(count)), m.value(m.constant(1)));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    buildBody(loop.getInductionVar());
  }
  if (peers)
    calls.leave(site);
  op.erase();
}

void coconet::lowerListKernel(ListKernelOp op, SymbolTable &symbols) {
  ListLowering(op, symbols).lower();
}
