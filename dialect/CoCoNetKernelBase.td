//===- CoCoNetKernelBase.td - base of kernels -------------------------------===//

#ifndef COCONET_KERNEL_BASE_TD
#define COCONET_KERNEL_BASE_TD

include "CoCoNetOpBase.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"

def CoCoNet_Buffer : AnyTypeOf<[CoCoNet_Tensor,
    MemRefOf<[F16, BF16, F32, F64, I1, I8, I32, I64]>]>;
def CoCoNet_FloatBuffer : AnyTypeOf<[CoCoNet_FloatTensor,
    MemRefOf<[F16, BF16, F32, F64]>]>;

// An op that writes `inits`: tensors become results, buffers are written.
class CoCoNet_KernelOp<string mnemonic, list<Trait> traits = []>
    : CoCoNet_Op<mnemonic, !listconcat([DestinationStyleOpInterface,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>], traits)>;

class CoCoNet_SingleInitKernelOp<string mnemonic, list<Trait> traits = []>
    : CoCoNet_KernelOp<mnemonic, traits> {
  let results = (outs Optional<CoCoNet_Tensor>:$result);
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getInitMutable(); }
  }];
}

#endif // COCONET_KERNEL_BASE_TD
