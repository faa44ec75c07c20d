//===- Pipelines.h - Named pipelines ----------------------------*- C++ -*-===//

#ifndef COCONET_PIPELINES_PIPELINES_H
#define COCONET_PIPELINES_PIPELINES_H

namespace coconet {

/// Registers the named pipelines with the pass registry.
void registerPipelines();

} // namespace coconet

#endif // COCONET_PIPELINES_PIPELINES_H
