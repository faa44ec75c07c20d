//===- LowerStart.cpp - buffers published ahead of a kernel -----------------===//

#include "Conversion/LowerKernels/Lowerings.h"
#include "Conversion/LowerKernels/RuntimeCalls.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace coconet;

void coconet::lowerSymmetricStart(SymmetricStartOp op, SymbolTable &symbols) {
  OpBuilder builder(op);
  RuntimeCalls calls(builder, op, &symbols);
  // Each buffer once, in the order in which the kernel looks them up.
  llvm::SetVector<Value> published(op->operand_begin(), op->operand_end());
  SmallVector<Value> pointers;
  for (Value buffer : published)
    pointers.push_back(calls.pointerTo(buffer));
  calls.start(calls.site("start", Members::of(op)), pointers);
  op.erase();
}
