//===- CoCoNetPasses.td - passes --------------------------------------------===//

#ifndef COCONET_PASSES_TD
#define COCONET_PASSES_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// Checks and preparation
//===----------------------------------------------------------------------===//

def ValidateLayouts : Pass<"coconet-validate-layouts"> {
  let summary = "allow only ops that know layouts on laid-out tensors";
  let description = [{
    Ops of other dialects ignore the encoding of a tensor: `arith.mulf` on two
    pending sums verifies, and bufferization drops the encoding. This pass
    reports every op outside of the dialect, functions and calls aside, that
    reads or makes a tensor with a `#coconet.layout`. It stands at the head of
    every pipeline and changes nothing.
  }];
}

def BindMesh : Pass<"coconet-bind-mesh", "::mlir::ModuleOp"> {
  let summary = "give the axes of the mesh their sizes";
  let description = [{
    Replaces open sizes, and sizes that are given again, in every mesh of the
    module, then verifies the module: divisibility that was assumed is checked.
    `ranks=8` binds the only axis; `axes=dp=2,tp=4` binds by name. A program
    without mesh is replicated on all ranks and stays as it is.
  }];
  let options = [
    Option<"ranks", "ranks", "int64_t", "0", "size of the only axis">,
    ListOption<"axes", "axes", "std::string", "sizes by name, `dp=2`">
  ];
}

//===----------------------------------------------------------------------===//
// Schedule transformations
//===----------------------------------------------------------------------===//

def SplitAllReduce : Pass<"coconet-split-all-reduce"> {
  let summary = "AR(x) -> AG(RS(x))";
  let description = [{
    Every all_reduce called `name` becomes a reduce_scatter and an all_gather
    along `dim`, or flat. They are called `NAME.rs` and `NAME.ag`. Any size is
    legal: cuts may be uneven. Declined where the cut would not be one flat cut.
    CoCoNet section 3.1.
  }];
  let options = [
    Option<"name", "name", "std::string", "", "coconet.name of the all_reduce">,
    Option<"dim", "dim", "int64_t", "0", "dimension to cut">,
    Option<"flat", "flat", "bool", "false", "cut the flattening instead">
  ];
}

def MergeAllReduce : Pass<"coconet-merge-all-reduce"> {
  let summary = "AG(RS(x)) -> AR(x)";
  let description = [{
    Every reduce_scatter called `name` and the all_gather of its result become
    one all_reduce. Declined where the slice has another use, or axes or
    dimension differ.
  }];
  let options = [
    Option<"name", "name", "std::string", "", "coconet.name of the reduce_scatter">
  ];
}

def ReorderAllGather : Pass<"coconet-reorder-all-gather"> {
  let summary = "C(AG(x)) -> AG(C(x))";
  let description = [{
    The computations called `past` work on the slices that the all_gather called
    `name` takes; replicated operands are sharded, and every value used elsewhere
    is gathered. A reduction over the cut dimension brings an all_reduce.
    Declined where the computations are not convex or do not type on slices.
    CoCoNet section 3.2.
  }];
  let options = [
    Option<"name", "name", "std::string", "", "coconet.name of the all_gather">,
    ListOption<"past", "past", "std::string", "coconet.names of the computations">
  ];
}

def SliceState : Pass<"coconet-slice-state", "::mlir::func::FuncOp"> {
  let summary = "hold state in slices and drop its all_gather";
  let description = [{
    The state arguments called `names` (`coconet.arg_name`) are cut the way all
    their uses cut them, which changes the function's type. Declined where a use
    takes the state whole. CoCoNet section 3.2 (asSlice).
  }];
  let options = [
    ListOption<"names", "names", "std::string", "coconet.arg_name of the states">
  ];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

def FuseOps : Pass<"coconet-fuse-ops"> {
  let summary = "ops as one kernel";
  let description = [{
    The ops called `names` become one `coconet.fused` region: of pointwise ops
    alone, or around one chain from reduce_scatter to all_gather. Declined where
    the set is not convex, holds two chains, or iterates over different shapes.
    CoCoNet section 3.3.
  }];
  let options = [
    ListOption<"names", "names", "std::string", "coconet.names of the ops">,
    Option<"result", "result", "std::string", "", "coconet.name of the region">
  ];
}

def FuseAllReduce : Pass<"coconet-fuse-all-reduce", "::mlir::func::FuncOp"> {
  let summary = "split, reorder and fuse every all_reduce with what follows it";
  let description = [{
    For each all_reduce, the pointwise computations that depend on it and type
    on slices are run on slices, between reduce_scatter and all_gather, in one
    fused region. Function types stay; with `slice-state`, state that only these
    slices use is held in slices too. Where an all_reduce is left alone a remark
    says why. CoCoNet section 3.
  }];
  let options = [
    Option<"sliceState", "slice-state", "bool", "false",
           "hold state in slices where all its uses allow it">
  ];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

def Decompose : Pass<"coconet-decompose"> {
  let summary = "expand composite ops into reductions and pointwise ops";
  let description = [{
    Before: any distributed program. After: no `coconet.softmax`; its maximum and
    its sum are `coconet.reduce`, followed by the all_reduce that a cut dimension
    needs. f16 and bf16 are computed in f32 and rounded once. Other ops stay:
    `mean` and `norm` need the logical sizes that `--coconet-to-rank` knows.
  }];
}

def ToRank : Pass<"coconet-to-rank", "::mlir::ModuleOp"> {
  let summary = "from the distributed program to what one rank runs";
  let description = [{
    Before: straight-line functions over a bound mesh, without calls and
    composite ops. After: the same functions on plain tensors that hold one
    rank's part. Collectives are `coconet.rank.*` ops, free sharding is
    `coconet.rank.shard`, `mean`, `norm` and dropout use logical sizes and
    offsets. A cut dimension has its static chunk size where the division is
    exact, else an open one; flat slices have one dimension.

    Arguments keep their order and attributes; `coconet.layout` says how they
    lie. Dynamic sizes of cut dimensions follow as index arguments marked
    `coconet.size_of`. Results that are the value of an `update` are dropped,
    since the state's buffer holds them. Sizes that must agree and are not known
    to are checked at run time (`coconet.rank.check_size`).

    Declines open mesh sizes, calls, control flow, and a region that reshapes its
    own values to slice them flat.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
}

def ToKernels : Pass<"coconet-to-kernels", "::mlir::ModuleOp"> {
  let summary = "from the rank program to kernels over tensors";
  let description = [{
    Before: a rank program. After: computation is `linalg.generic` over scalars
    (a fused computation is one of them), matrix products are `coconet.gemm`,
    and every collective, with the computation fused around it, is one
    `coconet.symmetric_kernel`. f16 and bf16 are computed in f32 and rounded
    after every op; reductions accumulate in f32 and round once.

    State is written in place: a kernel whose result is the value of an `update`
    has the state argument as its init, and the function returns the states
    behind its own results, so that bufferization sees the writes. Other
    arguments are not writable.

    Declines a fused all_reduce whose reduce_scatter reads a value computed in
    the region, and whose result is neither a chunk nor gathered.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
    "::mlir::bufferization::BufferizationDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"];
}

def DropStateResults : Pass<"coconet-drop-state-results", "::mlir::ModuleOp"> {
  let summary = "drop returned states once they are buffers";
  let description = [{
    Before: bufferized functions that return their states last
    (`coconet.states` says how many). After: they do not. A state that is not the
    buffer of an argument is reported: the write would be lost.
  }];
}

def LowerKernels : Pass<"coconet-lower-kernels", "::mlir::ModuleOp"> {
  let summary = "from kernels over buffers to vectorised loops and run-time calls";
  let description = [{
    Before: bufferized rank functions. After: parallel `linalg.generic` and
    symmetric kernels are loops over vectors of 16 elements through raw pointers,
    with a scalar tail; symmetric kernels stand between the run-time's
    `coconet_rt_enter` and `coconet_rt_leave`. Other `linalg` ops are left to
    upstream's loops.

    Functions get the rank (`!llvm.ptr`) as first argument and a C interface.
    Buffers that they return belong to the caller.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

#endif // COCONET_PASSES_TD
