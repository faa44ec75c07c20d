//===- BFloatAsBits.cpp - bf16 in memory --------------------------------------===//

#include "Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace coconet {
#define GEN_PASS_DEF_BFLOATASBITS
#include "CoCoNetPasses.h.inc"
} // namespace coconet

using namespace mlir;
using namespace coconet;

/// i16, or a vector of it, for bf16; null for other types.
static Type bitsOf(Type type) {
  if (!isa<BFloat16Type>(getElementTypeOrSelf(type)))
    return {};
  Type bits = IntegerType::get(type.getContext(), 16);
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(bits);
  return isa<BFloat16Type>(type) ? bits : Type();
}

static void loadBits(LLVM::LoadOp load) {
  Type type = load.getType(), bits = bitsOf(type);
  if (!bits)
    return;
  OpBuilder builder(load);
  builder.setInsertionPointAfter(load);
  load.getResult().setType(bits);
  auto value = LLVM::BitcastOp::create(builder, load.getLoc(), type, load);
  load.getResult().replaceAllUsesExcept(value, value);
}

static void storeBits(LLVM::StoreOp store) {
  Type bits = bitsOf(store.getValue().getType());
  if (!bits)
    return;
  OpBuilder builder(store);
  store.getValueMutable().assign(
      LLVM::BitcastOp::create(builder, store.getLoc(), bits, store.getValue()));
}

namespace {
struct BFloatAsBits : coconet::impl::BFloatAsBitsBase<BFloatAsBits> {
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (auto load = dyn_cast<LLVM::LoadOp>(op))
        loadBits(load);
      else if (auto store = dyn_cast<LLVM::StoreOp>(op))
        storeBits(store);
    });
  }
};
} // namespace
