//===- CoCoNetTransformOps.td - the schedule language -----------------------===//
//
// A schedule is a transform-dialect sequence. Each op here applies one
// transformation of lib/Transforms; where that refuses, the op fails silenceably
// with the reason and the program is as it was before the op.
//
//===----------------------------------------------------------------------===//

#ifndef COCONET_TRANSFORM_OPS_TD
#define COCONET_TRANSFORM_OPS_TD

include "mlir/Dialect/Transform/IR/TransformAttrs.td"
include "mlir/Dialect/Transform/IR/TransformDialect.td"
include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class CoCoNet_TransformOp<string mnemonic, list<Trait> traits = []>
    : Op<Transform_Dialect, "coconet." # mnemonic,
         !listconcat([DeclareOpInterfaceMethods<TransformOpInterface>,
                      DeclareOpInterfaceMethods<MemoryEffectsOpInterface>],
                     traits)> {
  let cppNamespace = "::coconet";
}

def CoCoNet_MatchOp : Op<Transform_Dialect, "coconet.match",
    [DeclareOpInterfaceMethods<TransformOpInterface>,
     NavigationTransformOpTrait, MemoryEffectsOpInterface]> {
  let summary = "the ops called `name`";
  let description = [{
    - args: a handle to look below, and a `coconet.name`.
    - result: all ops of that name, in order.
    - checks: there is one.
  }];
  let cppNamespace = "::coconet";
  let arguments = (ins TransformHandleTypeInterface:$target, StrAttr:$name);
  let results = (outs TransformHandleTypeInterface:$result);
  let assemblyFormat = [{
    $name `in` $target attr-dict `:` functional-type($target, $result)
  }];
}

def CoCoNet_SplitOp : CoCoNet_TransformOp<"split"> {
  let summary = "one all_reduce as several collectives";
  let description = [{
    - args: one all_reduce; the dimension to cut, or `flat`; the root; or the inner
      and outer axes.
    - rewrite, with the parts named after the all_reduce:
      - `into rs_ag dim 0`: `AR(x) -> AG(RS(x))`; `NAME.rs`, `NAME.ag`.
      - `into reduce_broadcast root 0`: `AR(x) -> BC(reduce_to_root(x))`;
        `NAME.reduce`, `NAME.bc`.
      - `into hierarchical dim 0 inner {tp} outer {dp}`: `AR(x) ->
        AG_in(AR_out(RS_in(x)))`; `NAME.rs`, `NAME.ar`, `NAME.ag`. Sums of f16 and
        bf16 stay f32 between the levels, so that they round once.
    - checks: the all_reduce has a reduce_scatter form along the dimension; the
      root is a position in the group; inner and outer axes make up the group.
      `coconet.wire_type` is kept on all parts; an all_reduce with an algorithm
      is refused.
    - handles: `target` is consumed; results are the parts.

    CoCoNet section 3.1.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target,
                       OptionalAttr<I64Attr>:$dim, OptionalAttr<I64Attr>:$root,
                       OptionalAttr<StrArrayAttr>:$inner,
                       OptionalAttr<StrArrayAttr>:$outer);
  let results = (outs Variadic<TransformHandleTypeInterface>:$parts);
  let assemblyFormat = [{
    $target `into` custom<SplitForm>($dim, $root, $inner, $outer) attr-dict `:`
    functional-type($target, $parts)
  }];
  let hasVerifier = 1;
}

def CoCoNet_WireTypeOp : CoCoNet_TransformOp<"wire_type"> {
  let summary = "let values travel in a narrow type";
  let description = [{
    - args: collectives, or fused regions around some; f16 or bf16.
    - rewrite: sets `coconet.wire_type`. Values are rounded to it once per hop and
      added in f32; the result of an all_reduce is what travelled, that of a
      reduce_scatter or reduce_to_root stays wide. Lossy: reports of comparisons
      name it.
    - checks: all_reduce, reduce_scatter, all_gather, all_to_all, broadcast or
      reduce_to_root, whose elements hold more than the wire type.
    - handles: kept.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, TypeAttr:$type);
  let assemblyFormat = "$target $type attr-dict `:` type($target)";
}

def CoCoNet_AlgorithmOp : CoCoNet_TransformOp<"algorithm"> {
  let summary = "how the target does a collective";
  let description = [{
    - args: collectives, or fused regions around some; one_shot, two_shot, ring or
      library; optionally a number of channels.
    - rewrite: sets `coconet.algorithm` and `coconet.channels`.
    - checks: collectives in a fused region are named by the region. Whether the
      target has the algorithm is known when the program is lowered.
    - handles: kept.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, StrAttr:$algorithm,
                       OptionalAttr<I64Attr>:$channels);
  let assemblyFormat = [{
    $target custom<Keyword>($algorithm) (`channels` $channels^)? attr-dict `:`
    type($target)
  }];
}

def CoCoNet_MergeOp : CoCoNet_TransformOp<"merge"> {
  let summary = "AG(RS(x)) -> AR(x)";
  let description = [{
    - args: a reduce_scatter and the all_gather of its result.
    - rewrite: `AG(RS(x)) -> AR(x)`.
    - checks: same axes, dimension and reduction; the slice has no other use.
    - handles: both are consumed; the result is the all_reduce.
  }];
  let arguments = (ins TransformHandleTypeInterface:$reduce_scatter,
                       TransformHandleTypeInterface:$all_gather);
  let results = (outs TransformHandleTypeInterface:$all_reduce);
  let assemblyFormat = [{
    $reduce_scatter `,` $all_gather attr-dict `:`
    functional-type(operands, results)
  }];
}

def CoCoNet_ReorderOp : CoCoNet_TransformOp<"reorder"> {
  let summary = "C(AG(x)) -> AG(C(x))";
  let description = [{
    - args: one all_gather; the computations that follow it.
    - rewrite: `C(AG(x)) -> AG(C(x))`; replicated operands are sharded, each
      value used elsewhere gets its own all_gather, named as the first.
      Past a send: `Send(AG(x)) -> AG'(Send(x))`, where AG' is behind the recv.
    - checks: the set is convex; every op types on slices. A reduction over the
      cut dimension brings the all_reduce it needs. The receiver's mesh has the
      axes, of equal sizes.
    - handles: both are consumed; results are the computations on slices and the
      new all_gathers.

    CoCoNet section 3.2.
  }];
  let arguments = (ins TransformHandleTypeInterface:$all_gather,
                       TransformHandleTypeInterface:$computations);
  let results = (outs TransformHandleTypeInterface:$sliced,
                      TransformHandleTypeInterface:$gathers);
  let assemblyFormat = [{
    $all_gather `past` $computations attr-dict `:`
    functional-type(operands, results)
  }];
}

def CoCoNet_SliceSendOp : CoCoNet_TransformOp<"slice_send"> {
  let summary = "Send(x) -> AG(Send(shard(x)))";
  let description = [{
    - args: one send of a value that is replicated along axes; a dimension to cut,
      or `flat`.
    - rewrite: every rank sends its slice, and an all_gather, called `NAME.ag`, is
      behind the recv: a k-th of the bytes crosses.
    - checks: the cut is one; the receiver's mesh has the axes, of equal sizes.
    - handles: `target` is consumed; results are the send and the all_gather.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target,
                       OptionalAttr<I64Attr>:$dim, StrArrayAttr:$axes);
  let results = (outs TransformHandleTypeInterface:$send,
                      TransformHandleTypeInterface:$all_gather);
  let assemblyFormat = [{
    $target (`dim` $dim^):(`flat`)? `on` $axes attr-dict `:`
    functional-type($target, results)
  }];
}

def CoCoNet_AsSliceOp : CoCoNet_TransformOp<"as_slice"> {
  let summary = "hold state in slices and drop its all_gather";
  let description = [{
    - args: a handle to look below; names of state arguments.
    - rewrite: the argument is cut the way its uses cut it, and its new value is
      not gathered. Changes the function's type.
    - checks: every use of the state goes through that one cut.
    - handles: kept, but for those to the all_gathers and shards that go.

    CoCoNet section 3.2.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, StrArrayAttr:$states);
  let assemblyFormat = "$states `in` $target attr-dict `:` type($target)";
}

def CoCoNet_FuseOp : CoCoNet_TransformOp<"fuse"> {
  let summary = "ops as one kernel";
  let description = [{
    - args: handles to ops of one block; optionally a name for the region.
    - rewrite: the ops move into one `coconet.fused` region.
    - checks: convex; pointwise ops of one iteration space, and with them at most
      one matmul that they follow; or one chain that begins with a reduce_scatter,
      ends with all_gathers, or both, in which slices may be reduced to one
      element; or one send of what is computed, which then goes straight into the
      receiver's buffer.
    - handles: consumed; the result is the region.

    CoCoNet section 3.3.
  }];
  let arguments = (ins Variadic<TransformHandleTypeInterface>:$targets,
                       OptionalAttr<StrAttr>:$name);
  let results = (outs TransformHandleTypeInterface:$fused);
  let assemblyFormat = [{
    $targets (`as` $name^)? attr-dict `:` functional-type($targets, $fused)
  }];
}

def CoCoNet_BucketOp : CoCoNet_TransformOp<"bucket"> {
  let summary = "many small collectives as one over a list";
  let description = [{
    - args: handles to collectives of one block; optionally a name, and the most
      bytes of a bucket.
    - rewrite: the collectives become one of the same kind in a
      `coconet.for_each`, one kernel; with `bytes` several, in program order,
      called `NAME.0`, `NAME.1` and so on. A bucket of one tensor stays as it is.
    - checks: all_reduce, broadcast, flat reduce_scatter or flat all_gather; one
      kind, reduction, element type, layout, group, root and attributes; no path
      from one to another.
    - handles: consumed; the result is the collectives of the buckets.
  }];
  let arguments = (ins Variadic<TransformHandleTypeInterface>:$targets,
                       OptionalAttr<StrAttr>:$name, OptionalAttr<I64Attr>:$bytes);
  let results = (outs TransformHandleTypeInterface:$collectives);
  let assemblyFormat = [{
    $targets (`bytes` $bytes^)? (`as` $name^)? attr-dict `:`
    functional-type($targets, $collectives)
  }];
}

def CoCoNet_OverlapStepOp : CoCoNet_TransformOp<"overlap"> {
  let summary = "ops that run chunk by chunk, communication beside computation";
  let description = [{
    - args: handles to ops of one block; the number of chunks; a dimension of the
      first result; optionally a name for the region. Where there is a send or
      recv, ops of the function at its other end may be among them.
    - rewrite: the ops move into one `coconet.overlap` region. With one chunk, and
      no computation named, all computation comes in that is independent of them
      and lies before other communication. What is sent in
      chunks is received in chunks: the other end of a channel, and ops of its
      function, move into a region there.
    - checks: convex; connected; at least one collective and something beside it;
      the chunks run through every op; where a collective cuts or gathers their
      dimension it divides by ranks and chunks. With one chunk, some computation
      does not depend on a collective. No send or recv changes places with
      another one. What runs in chunks is not split, merged, reordered or put
      into a bucket any more: overlap comes last.
    - handles: consumed; the result is the region, or one in each function.

    CoCoNet section 3.4.
  }];
  let arguments = (ins Variadic<TransformHandleTypeInterface>:$targets,
                       I64Attr:$chunks, I64Attr:$dim, OptionalAttr<StrAttr>:$name);
  let results = (outs TransformHandleTypeInterface:$overlap);
  let assemblyFormat = [{
    $targets `chunks` $chunks `along` $dim (`as` $name^)? attr-dict `:`
    functional-type($targets, $overlap)
  }];
}

#endif // COCONET_TRANSFORM_OPS_TD
