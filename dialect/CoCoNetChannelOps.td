//===- CoCoNetChannelOps.td - send and receive between unlike ranks -----===//
//
// A channel has a name and joins one send to one recv of another function. The
// functions are stages of one program: each has ranks of its own, and the rank
// at position i of the sender's sends to the one at position i of the
// receiver's. A send is complete when the receiver has taken the data.
//
//===----------------------------------------------------------------------===//

#ifndef COCONET_CHANNEL_OPS_TD
#define COCONET_CHANNEL_OPS_TD

include "CoCoNetCollectiveBase.td"
include "CoCoNetRankBase.td"
include "CoCoNetKernelBase.td"

// Both ends write: neither is dropped, doubled, or moved across the other.
class CoCoNet_ChannelOp<string mnemonic, list<Trait> traits = []>
    : CoCoNet_Op<mnemonic, !listconcat([MemoryEffects<[MemRead, MemWrite]>], traits)> {
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Distributed programs
//===----------------------------------------------------------------------===//

def CoCoNet_SendOp : CoCoNet_ChannelOp<"send"> {
  let summary = "give a value to the ranks of another function";
  let description = [{
    The logical value goes over with its layout: what each rank holds is sent to
    its counterpart. Sent and received type are equal up to the mesh, of which the
    axes along which the value is not replicated agree in name and size.

    ```mlir
    coconet.send %y to "boundary" : tensor<8x16xf32>
    ```
  }];
  let arguments = (ins CoCoNet_Tensor:$operand, StrAttr:$channel);
  let assemblyFormat = "$operand `to` $channel attr-dict `:` type($operand)";
}

def CoCoNet_RecvOp : CoCoNet_ChannelOp<"recv"> {
  let summary = "the value that the ranks of another function send";
  let description = [{
    `dims` says how large open dimensions are: one name a dimension, each that of
    a dimension of an argument (`coconet.dims`); static ones may be "".

    ```mlir
    %y = coconet.recv from "boundary" : tensor<8x16xf32>
    %z = coconet.recv from "other" dims ["b", ""] : tensor<?x16xf32>
    ```
  }];
  let arguments = (ins StrAttr:$channel, OptionalAttr<StrArrayAttr>:$dims);
  let results = (outs CoCoNet_Tensor:$result);
  let assemblyFormat = "`from` $channel (`dims` $dims^)? attr-dict `:` type($result)";
}

//===----------------------------------------------------------------------===//
// Rank programs
//===----------------------------------------------------------------------===//

def CoCoNet_RankSendOp : CoCoNet_ChannelOp<"rank.send"> {
  let summary = "give one's tensor to one's counterpart";
  let description = [{
    `senders` and `receivers` are numbers of ranks of the whole program; the two
    at one position are counterparts.
  }];
  let arguments = (ins CoCoNet_Tensor:$operand, StrAttr:$channel,
    DenseI64ArrayAttr:$senders, DenseI64ArrayAttr:$receivers);
  let assemblyFormat = [{
    $operand `to` $channel `between` $senders `and` $receivers attr-dict `:`
    type($operand)
  }];
}

def CoCoNet_RankRecvOp : CoCoNet_ChannelOp<"rank.recv"> {
  let summary = "the tensor of one's counterpart";
  let description = "`sizes` are those of the dynamic dimensions of the result, in order.";
  let arguments = (ins Variadic<Index>:$sizes, StrAttr:$channel,
    DenseI64ArrayAttr:$senders, DenseI64ArrayAttr:$receivers);
  let results = (outs CoCoNet_Tensor:$result);
  let assemblyFormat = [{
    `from` $channel `between` $senders `and` $receivers `sizes` `(` $sizes `)`
    attr-dict `:` type($result)
  }];
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

def CoCoNet_SymmetricSendBeginOp : CoCoNet_ChannelOp<"symmetric_send_begin"> {
  let summary = "the buffer of one's counterpart, to be written";
  let description = [{
    Waits until the counterpart is at its `symmetric_recv` of the channel. What
    is written into the buffer before `symmetric_send_end` is received.
  }];
  let arguments = (ins Variadic<Index>:$sizes, StrAttr:$channel,
    DenseI64ArrayAttr:$senders, DenseI64ArrayAttr:$receivers);
  let results = (outs CoCoNet_Buffer:$result);
  let assemblyFormat = [{
    $channel `between` $senders `and` $receivers `sizes` `(` $sizes `)` attr-dict
    `:` type($result)
  }];
}

def CoCoNet_SymmetricSendEndOp : CoCoNet_ChannelOp<"symmetric_send_end"> {
  let summary = "let the counterpart go on with what was written";
  let arguments = (ins CoCoNet_Buffer:$written, StrAttr:$channel,
    DenseI64ArrayAttr:$senders, DenseI64ArrayAttr:$receivers);
  let assemblyFormat = [{
    $channel `between` $senders `and` $receivers `ins` `(` $written `:`
    type($written) `)` attr-dict
  }];
}

class CoCoNet_SymmetricRecvBase<string mnemonic> : CoCoNet_ChannelOp<mnemonic,
    [DestinationStyleOpInterface]> {
  let arguments = (ins CoCoNet_Buffer:$init, StrAttr:$channel,
    DenseI64ArrayAttr:$senders, DenseI64ArrayAttr:$receivers);
  let results = (outs Optional<CoCoNet_Tensor>:$result);
  let assemblyFormat = [{
    $channel `between` $senders `and` $receivers `outs` `(` $init `:` type($init)
    `)` attr-dict (`->` type($result)^)?
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getInitMutable(); }
  }];
}

def CoCoNet_SymmetricRecvStartOp : CoCoNet_SymmetricRecvBase<"symmetric_recv_start"> {
  let summary = "let the counterpart write into `init` while one goes on";
  let description = [{
    The `symmetric_recv` of the channel takes the result, which is the buffer of
    `init`, and waits until it has been written.
  }];
}

def CoCoNet_SymmetricRecvOp : CoCoNet_SymmetricRecvBase<"symmetric_recv"> {
  let summary = "let the counterpart write into `init`, and wait until it has";
  let description = "With `coconet.started` it waits only: see `symmetric_recv_start`.";
}

#endif // COCONET_CHANNEL_OPS_TD
