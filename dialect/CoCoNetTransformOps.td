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
  let summary = "AR(x) -> AG(RS(x))";
  let description = [{
    - args: one all_reduce; the dimension to cut, or `flat`.
    - rewrite: `AR(x) -> AG(RS(x))`. The parts are named `NAME.rs`, `NAME.ag`.
    - checks: the all_reduce has a reduce_scatter form along the dimension.
    - handles: `target` is consumed; results are the two collectives.

    CoCoNet section 3.1.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target,
                       OptionalAttr<I64Attr>:$dim);
  let results = (outs TransformHandleTypeInterface:$reduce_scatter,
                      TransformHandleTypeInterface:$all_gather);
  let assemblyFormat = [{
    $target `into` `rs_ag` (`dim` $dim^):(`flat`)? attr-dict `:`
    functional-type($target, results)
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
    - checks: the set is convex; every op types on slices. A reduction over the
      cut dimension brings the all_reduce it needs.
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
    - checks: convex; pointwise; at most one chain from reduce_scatter to
      all_gather; one iteration space.
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

#endif // COCONET_TRANSFORM_OPS_TD
