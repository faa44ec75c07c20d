//===- CoCoNetTransformOps.cpp - The schedule language --------------------===//

#include "TransformOps/CoCoNetTransformOps.h"
#include "Analysis/ValueName.h"
#include "IR/CoCoNetDialect.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "CoCoNetTransformOps.cpp.inc"

namespace {
class CoCoNetTransformOps
    : public transform::TransformDialectExtension<CoCoNetTransformOps> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CoCoNetTransformOps)

  void init() {
    declareGeneratedDialect<coconet::CoCoNetDialect>();
    registerTransformOps<
#define GET_OP_LIST
#include "CoCoNetTransformOps.cpp.inc"
        >();
  }
};
} // namespace

void coconet::registerTransformOps(DialectRegistry &registry) {
  registry.addExtensions<CoCoNetTransformOps>();
}

DiagnosedSilenceableFailure
coconet::MatchOp::apply(transform::TransformRewriter &rewriter,
                        transform::TransformResults &results,
                        transform::TransformState &state) {
  SmallVector<Operation *> found;
  for (Operation *root : state.getPayloadOps(getTarget()))
    root->walk([&](Operation *op) {
      if (coconet::getName(op) == getName())
        found.push_back(op);
    });
  if (found.empty())
    return emitSilenceableError() << "no op is named \"" << getName() << "\"";
  results.set(getOperation()->getOpResult(0), found);
  return DiagnosedSilenceableFailure::success();
}
