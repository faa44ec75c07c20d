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
    results; what communicates a chunk is under way while the next one is
    computed. Chunk c is the c-th part of every rank's slice, so that results lie
    where the ops put them without chunks (CoCoNet section 3.4).
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
    The region holds one collective, or one fused region with one. Its inputs are
    not written until the future has been waited for.
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
  let assemblyFormat = "$future attr-dict `:` type($future) `->` type($results)";
  let hasVerifier = 1;
}

#endif // COCONET_OVERLAP_OPS_TD
