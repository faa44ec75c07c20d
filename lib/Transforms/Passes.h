//===- Passes.h - passes of the dialect -------------------------*- C++ -*-===//

#ifndef COCONET_TRANSFORMS_PASSES_H
#define COCONET_TRANSFORMS_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace coconet {
#define GEN_PASS_DECL
#include "CoCoNetPasses.h.inc"

#define GEN_PASS_REGISTRATION
#include "CoCoNetPasses.h.inc"
} // namespace coconet

#endif // COCONET_TRANSFORMS_PASSES_H
