//===- Passes.h - Passes of the project -------------------------*- C++ -*-===//

#ifndef COCONET_TRANSFORMS_PASSES_H
#define COCONET_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace coconet {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "CoCoNetPasses.h.inc"

} // namespace coconet

#endif // COCONET_TRANSFORMS_PASSES_H
