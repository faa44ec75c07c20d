//===- CoCoNetOverlapOps.td - chunk-wise overlap, start and wait --------===//

#ifndef COCONET_OVERLAP_OPS_TD
#define COCONET_OVERLAP_OPS_TD

include "CoCoNetOpBase.td"
include "CoCoNetRankBase.td"
include "CoCoNetKernelBase.td"
include "CoCoNetTypes.td"

def CoCoNet_OverlapOp : CoCoNet_Op<"overlap", [SingleBlock,
    RecursiveMemoryEffects]> {
  let summary = "ops that run chunk by chunk, communication beside computation";
  let description = [{
    The ops of the region are done in `chunks` chunks of dimension `dim` of the
    first result, or, without results, of what is sent first; what communicates a
    chunk is under way while the next one is computed. In the other values of the region the chunks lie along the
    dimension that the ops make of it.

    Where that dimension is cut the same way all through the region, the chunks
    are parts of one rank's slice, the last ones short or empty. Where a
    collective cuts or gathers it, chunk c is the c-th part of every rank's
    slice, so that results lie where the ops put them without chunks; the
    dimension divides exactly by ranks and chunks (CoCoNet section 3.4).

    What is sent in chunks is received in as many, of the same dimension.

    With one chunk nothing is cut: computation that does not depend on a
    collective of the region runs beside it.
  }];
  let arguments = (ins I64Attr:$chunks, I64Attr:$dim);
  let results = (outs Variadic<CoCoNet_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `chunks` $chunks `along` $dim attr-dict-with-keyword $body (`:` type($results)^)?
  }];
  let hasRegionVerifier = 1;
}

def CoCoNet_RankStartOp : CoCoNet_Op<"rank.start", [SingleBlock]> {
  let summary = "begin communication and go on";
  let description = [{
    The region holds one collective, send or recv, or one fused region with one.
    What it reads is not written until the future has been waited for, and the
    members of the group start it in the same order.
  }];
  let results = (outs CoCoNet_FutureType:$future);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$body attr-dict `:` type($future)";
  let hasRegionVerifier = 1;
}

def CoCoNet_RankWaitOp : CoCoNet_Op<"rank.wait", [MemoryEffects<[MemWrite]>]> {
  let summary = "the values of communication that was started";
  let description = "Every future is waited for exactly once.";
  let arguments = (ins CoCoNet_FutureType:$future);
  let results = (outs Variadic<CoCoNet_Tensor>:$results);
  let assemblyFormat = "$future attr-dict `:` type($future) (`->` type($results)^)?";
  let hasVerifier = 1;
}

def CoCoNet_SymmetricStartOp : CoCoNet_Op<"symmetric_start",
    [AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "publish buffers for a kernel that waits for the members later";
  let description = [{
    The members of the group may read `inputs` and write `inits` from here on
    until the kernel with the same `coconet.started` is done.
    That kernel takes the results, which are the operands' buffers, so that they
    live as long, and nobody else writes the ones or uses the others.
  }];
  let arguments = (ins Variadic<CoCoNet_Buffer>:$inputs,
    Variadic<CoCoNet_Buffer>:$inits, CoCoNet_MeshAttr:$mesh,
    OptionalAttr<StrArrayAttr>:$axes, OptionalAttr<ArrayAttr>:$groups);
  let results = (outs Variadic<CoCoNet_Tensor>:$results);
  let assemblyFormat = [{
    `on` custom<Group>($axes, $groups) `of` $mesh
    `ins` `(` ($inputs^ `:` type($inputs))? `)`
    `outs` `(` ($inits^ `:` type($inits))? `)` attr-dict (`->` type($results)^)?
  }];
  let hasVerifier = 1;
}

#endif // COCONET_OVERLAP_OPS_TD
