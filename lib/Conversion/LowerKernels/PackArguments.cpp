//===- PackArguments.cpp - arguments through one pointer --------------------===//

#include "Conversion/LowerKernels/RuntimeCalls.h"
#include "IR/ListOps.h"
#include "IR/Refusal.h"
#include "Transforms/Passes.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace coconet {
#define GEN_PASS_DEF_PACKARGUMENTS
#include "CoCoNetPasses.h.inc"
} // namespace coconet

using namespace mlir;
using namespace coconet;

namespace {
class ArgumentPacker {
public:
  explicit ArgumentPacker(func::FuncOp function)
      : function(function), converter(function.getContext()),
        pointer(LLVM::LLVMPointerType::get(function.getContext())),
        builder(function.getContext()), loc(function.getLoc()) {}

  void pack();

private:
  /// Place in the table: results come first.
  int64_t entryOf(unsigned argument) {
    return argument + (function.getNumResults() ? 1 : 0);
  }
  Value load(Type type, Value address) {
    return LLVM::LoadOp::create(builder, loc, type, address);
  }
  void fillTable(AddressTableOp op);
  /// Fill a table with the addresses of arguments that follow each other.
  void fillRun(Value to, int64_t at, unsigned argument, int64_t count);
  /// What entry `index` of the table points at.
  Value loadVariable(int64_t index, Type type);
  Value loadArgument(BlockArgument argument);
  void storeResults(Value address);

  func::FuncOp function;
  LLVMTypeConverter converter;
  Type pointer;
  OpBuilder builder;
  Location loc;
  Value table;
};
} // namespace

Value ArgumentPacker::loadVariable(int64_t index, Type type) {
  Value entry =
      LLVM::GEPOp::create(builder, loc, pointer, pointer, table,
                          ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
  return load(type, load(pointer, entry));
}

Value ArgumentPacker::loadArgument(BlockArgument argument) {
  Type type = argument.getType();
  int64_t index = entryOf(argument.getArgNumber());
  if (isa<IndexType>(type))
    return arith::IndexCastOp::create(
        builder, loc, type, loadVariable(index, builder.getI64Type()));
  if (!isa<MemRefType>(type))
    return loadVariable(index, type);
  // The descriptor is the buffer once buffers are lowered.
  Value descriptor =
      load(converter.convertType(type), loadVariable(index, pointer));
  return UnrealizedConversionCastOp::create(builder, loc, type, descriptor)
      .getResult(0);
}

void ArgumentPacker::fillRun(Value to, int64_t at, unsigned argument,
                             int64_t count) {
  IndexMath m(builder, loc);
  auto loop =
      scf::ForOp::create(builder, loc, m.value(m.constant(0)),
                         m.value(m.constant(count)), m.value(m.constant(1)));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  RuntimeCalls calls(builder, loop);
  auto entry = [&](Value table, int64_t first) {
    return calls.advance(table, pointer,
                         m.add(m.constant(first), loop.getInductionVar()));
  };
  Value variable = load(pointer, entry(table, entryOf(argument)));
  // A descriptor begins with the pointers to free and to element 0.
  Value address = load(
      pointer, calls.advance(load(pointer, variable), pointer, m.constant(1)));
  LLVM::StoreOp::create(builder, loc, address, entry(to, at));
}

/// Whether the buffer is an argument whose descriptor tells where it begins.
static BlockArgument plainArgument(Value buffer, Block &body) {
  auto argument = dyn_cast<BlockArgument>(buffer);
  return argument && argument.getOwner() == &body &&
                 cast<MemRefType>(buffer.getType()).getLayout().isIdentity()
             ? argument
             : BlockArgument();
}

void ArgumentPacker::fillTable(AddressTableOp op) {
  Block &body = function.getBody().front();
  int64_t count = op.getBuffers().size();
  builder.setInsertionPointToStart(&body);
  Value to = LLVM::AllocaOp::create(
      builder, loc, pointer, pointer,
      RuntimeCalls(builder, op).i64(builder.getIndexAttr(count)));
  builder.setInsertionPoint(op);
  RuntimeCalls calls(builder, op);
  for (int64_t at = 0; at < count;) {
    int64_t end = at;
    BlockArgument first = plainArgument(op.getBuffers()[at], body);
    while (first && end < count) {
      BlockArgument next = plainArgument(op.getBuffers()[end], body);
      if (!next || next.getArgNumber() != first.getArgNumber() + (end - at))
        break;
      ++end;
    }
    if (table && end - at > 1) {
      fillRun(to, at, first.getArgNumber(), end - at);
      at = end;
      continue;
    }
    LLVM::StoreOp::create(builder, loc, calls.pointerTo(op.getBuffers()[at]),
                          calls.advance(to, pointer, builder.getIndexAttr(at)));
    ++at;
  }
  op.replaceAllUsesWith(to);
  op.erase();
}

/// Store the results as the members of one structure, or as the only one.
void ArgumentPacker::storeResults(Value address) {
  auto end = cast<func::ReturnOp>(function.getBody().back().getTerminator());
  builder.setInsertionPoint(end);
  SmallVector<Type> types;
  for (Type type : end.getOperandTypes())
    types.push_back(converter.convertType(type));
  auto all = LLVM::LLVMStructType::getLiteral(builder.getContext(), types);
  for (auto [index, result] : llvm::enumerate(end.getOperands())) {
    Value member = address;
    if (types.size() > 1)
      member = LLVM::GEPOp::create(
          builder, loc, pointer, all, address,
          ArrayRef<LLVM::GEPArg>{0, static_cast<int32_t>(index)});
    Value held =
        UnrealizedConversionCastOp::create(builder, loc, types[index], result)
            .getResult(0);
    LLVM::StoreOp::create(builder, loc, held, member);
  }
  end.getOperandsMutable().clear();
}

void ArgumentPacker::pack() {
  Block &body = function.getBody().front();
  bool isEntry =
      function->hasAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName());
  if (isEntry)
    table = body.addArgument(pointer, loc);
  // Before arguments are loaded, so that runs of them are seen.
  SmallVector<AddressTableOp> tables;
  function.walk([&](AddressTableOp op) { tables.push_back(op); });
  for (AddressTableOp op : tables)
    fillTable(op);
  if (!isEntry)
    return;
  builder.setInsertionPointToStart(&body);
  Value results;
  if (function.getNumResults())
    results = loadVariable(0, pointer);
  for (BlockArgument argument : body.getArguments().drop_back())
    if (!argument.use_empty())
      argument.replaceAllUsesWith(loadArgument(argument));
  body.eraseArguments(0, body.getNumArguments() - 1);
  if (results)
    storeResults(results);
  function->removeAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName());
  function.removeArgAttrsAttr();
  function.removeResAttrsAttr();
  function.setType(
      FunctionType::get(function.getContext(), body.getArgumentTypes(), {}));
  function.setName(("_mlir__mlir_ciface_" + function.getName()).str());
}

namespace {
struct PackArguments : coconet::impl::PackArgumentsBase<PackArguments> {
  void runOnOperation() override {
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      auto isTensor = llvm::IsaPred<TensorType>;
      if (llvm::any_of(function.getArgumentTypes(), isTensor) ||
          llvm::any_of(function.getResultTypes(), isTensor)) {
        (void)refuse(function, "has tensors among arguments and results",
                     "bufferize before --coconet-pack-arguments");
        return signalPassFailure();
      }
      ArgumentPacker(function).pack();
    }
  }
};
} // namespace
