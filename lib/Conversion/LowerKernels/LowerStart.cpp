//===- LowerStart.cpp - buffers published ahead of a kernel -----------------===//

#include "Conversion/LowerKernels/Lowerings.h"
#include "Conversion/LowerKernels/RuntimeCalls.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace coconet;

void coconet::lowerSymmetricStart(SymmetricStartOp op, SymbolTable &symbols) {
  OpBuilder builder(op);
  RuntimeCalls calls(builder, op, &symbols);
  // In the order in which the kernel looks them up.
  Members members = Members::of(op);
  SmallVector<Value> published(op->getOperands());
  if (!calls.isShared(members))
    published =
        llvm::SetVector<Value>(published.begin(), published.end()).takeVector();
  SmallVector<Value> pointers;
  for (Value buffer : published)
    pointers.push_back(calls.pointerTo(buffer));
  calls.start(calls.site("start", members), pointers);
  op.erase();
}
