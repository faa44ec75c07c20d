//===- FuseSend.h - computation with the send of its result -----*- C++ -*-===//

#ifndef COCONET_TRANSFORMS_FUSESEND_H
#define COCONET_TRANSFORMS_FUSESEND_H

#include "Analysis/Legality.h"

namespace coconet {

/// Whether pointwise ops and the send of a value that they compute can be one
/// kernel, which writes into the receiver's buffer. All have one iteration space,
/// and no other end of a channel changes its place.
mlir::LogicalResult checkSend(const OpSet &set, Refusal &refusal);

} // namespace coconet

#endif // COCONET_TRANSFORMS_FUSESEND_H
