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

    Functions with `coconet.stage` get `coconet.ranks`: stages take consecutive
    ranks in their order, each as many as its mesh has. All lists of the module
    are then checked to be the ranks 0 to N - 1, each once, and channels to join
    one send to one recv.
  }];
  let options = [
    Option<"ranks", "ranks", "int64_t", "0", "size of the only axis">,
    ListOption<"axes", "axes", "std::string", "sizes by name, `dp=2`">
  ];
}

def CheckChannels : Pass<"coconet-check-channels", "::mlir::ModuleOp"> {
  let summary = "every send has its recv";
  let description = [{
    Reports a channel that is not one send and one recv of two functions with
    `coconet.stage` or `coconet.ranks`, whose types differ in more than the mesh,
    or whose functions have unlike numbers of ranks. Binding the mesh and
    `--coconet-to-rank` check the same. Changes nothing.
  }];
}

//===----------------------------------------------------------------------===//
// Schedule transformations
//===----------------------------------------------------------------------===//

def SplitAllReduce : Pass<"coconet-split-all-reduce"> {
  let summary = "one all_reduce as several collectives";
  let description = [{
    Every all_reduce called `name` becomes, by `into`:

    - `rs_ag`: `AG(RS(x))` along `dim`, or flat; `NAME.rs`, `NAME.ag`.
    - `reduce_broadcast`: a broadcast of what reduce_to_root gives the member at
      position `root`; `NAME.reduce`, `NAME.bc`.
    - `hierarchical`: `AG_in(AR_out(RS_in(x)))` over `inner` and `outer` axes;
      `NAME.rs`, `NAME.ar`, `NAME.ag`. Sums of f16 and bf16 stay f32 between the
      levels.

    Any size is legal: cuts may be uneven. Declined where the cut would not be one
    flat cut, the root does not exist, the axes do not make up the group, or an
    algorithm was chosen. CoCoNet section 3.1.
  }];
  let options = [
    Option<"name", "name", "std::string", "", "coconet.name of the all_reduce">,
    Option<"into", "into", "std::string", "\"rs_ag\"",
           "rs_ag, reduce_broadcast or hierarchical">,
    Option<"dim", "dim", "int64_t", "0", "dimension to cut">,
    Option<"flat", "flat", "bool", "false", "cut the flattening instead">,
    Option<"root", "root", "int64_t", "0", "position of the root">,
    ListOption<"inner", "inner", "std::string", "axes of the inner level">,
    ListOption<"outer", "outer", "std::string", "axes of the outer level">
  ];
}

def SetWireType : Pass<"coconet-set-wire-type"> {
  let summary = "let values travel in a narrow type";
  let description = [{
    Sets `coconet.wire_type` on the collectives called `name`, or on those in the
    fused region called so. Values of f32 or f64 are rounded to it once per hop
    and added in f32. Lossy. Declined for other ops, and for elements that hold no
    more than the wire type.
  }];
  let options = [
    Option<"name", "name", "std::string", "", "coconet.name of the collective">,
    Option<"type", "type", "std::string", "\"f16\"", "f16 or bf16">
  ];
}

def SetAlgorithm : Pass<"coconet-set-algorithm"> {
  let summary = "how the target does a collective";
  let description = [{
    Sets `coconet.algorithm` and `coconet.channels` on the collectives or fused
    regions called `name`. Whether the target has the algorithm is known when the
    program is lowered. Declined for other ops, and for collectives in a fused
    region, which is lowered as a whole.
  }];
  let options = [
    Option<"name", "name", "std::string", "", "coconet.name of the collective">,
    Option<"algorithm", "algorithm", "std::string", "\"two_shot\"",
           "one_shot, two_shot, ring or library">,
    Option<"channels", "channels", "int64_t", "0", "number of channels">
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
    Past a send, `Send(AG(x)) -> AG'(Send(x))`: the all_gather is behind the recv,
    on whose mesh its axes exist.
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
    alone, behind one matmul, before one send, or in one chain that begins with a
    reduce_scatter, ends with all_gathers, or both. A chain may hold reductions of
    its slices to one element, with the all_reduce behind each. Declined where the
    set is not convex, holds two chains, or iterates over different shapes.
    CoCoNet section 3.3.
  }];
  let options = [
    ListOption<"names", "names", "std::string", "coconet.names of the ops">,
    Option<"result", "result", "std::string", "", "coconet.name of the region">
  ];
}

def OverlapOps : Pass<"coconet-overlap-ops"> {
  let summary = "ops that run chunk by chunk, communication beside computation";
  let description = [{
    The ops called `names` become one `coconet.overlap` region of `chunks` chunks
    along dimension `dim` of its first result. Declined where the set is not
    convex or not connected, holds no collective or nothing beside one, where the
    chunks do not run through every op (a contraction, a reduction, a flat cut),
    or where a collective cuts or gathers the dimension and it does not divide by
    ranks and chunks. One chunk is for computation that does not depend on the
    collective: what is independent and lies before other communication, unless
    some computation is named. Of a channel both ends are chunked, with those of the ops that
    are in the function at the other end. CoCoNet section 3.4.
  }];
  let options = [
    ListOption<"names", "names", "std::string", "coconet.names of the ops">,
    Option<"chunks", "chunks", "int64_t", "2", "number of chunks">,
    Option<"dim", "dim", "int64_t", "0", "dimension of the first result">,
    Option<"result", "result", "std::string", "", "coconet.name of the region">
  ];
}

def FuseAllReduce : Pass<"coconet-fuse-all-reduce", "::mlir::func::FuncOp"> {
  let summary = "split, reorder and fuse every all_reduce with what follows it";
  let description = [{
    For each all_reduce, the pointwise computations that depend on it and type
    on slices, and reductions of them to one element, are run on slices, between
    reduce_scatter and all_gather, in one fused region. Function types stay; with `slice-state`, state that only these
    slices use is held in slices too. Where an all_reduce is left alone a remark
    says why. CoCoNet section 3.
  }];
  let options = [
    Option<"sliceState", "slice-state", "bool", "false",
           "hold state in slices where all its uses allow it">
  ];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

def BucketCollectives : Pass<"coconet-bucket-collectives"> {
  let summary = "many small collectives as one over a list";
  let description = [{
    The collectives called `names` become one `coconet.for_each` that holds one
    collective called `result`, hence one kernel; with `bytes`, as many as their
    tensors need in program order, none of more than so many bytes. A bucket of
    one tensor stays as it is.

    Takes all_reduce, broadcast, and reduce_scatter and all_gather of the
    flattening. Declined where two of them differ in kind, reduction, element type,
    layout, group, root or an attribute, or where one depends on another.
  }];
  let options = [
    ListOption<"names", "names", "std::string", "coconet.names of the collectives">,
    Option<"result", "result", "std::string", "",
           "coconet.name of the collective; by default that of the first">,
    Option<"bytes", "bytes", "int64_t", "0", "most bytes of a bucket; 0: any number">
  ];
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
    Before: functions over a bound mesh, without calls and composite ops; control
    flow is `scf.for` and `scf.if`. After: the same functions on plain tensors
    that hold one rank's part. Collectives are `coconet.rank.*` ops, free
    sharding is `coconet.rank.shard`, `mean`, `norm` and dropout use logical
    sizes and offsets. A cut dimension has its static chunk size where the division is
    exact, else an open one; flat slices have one dimension.

    Arguments keep their order and attributes; `coconet.layout` says how they
    lie. Dynamic sizes of cut dimensions follow as index arguments marked
    `coconet.size_of`. Results that are the value of an `update` are dropped,
    since the state's buffer holds them. Sizes that must agree and are not known
    to are checked at run time (`coconet.rank.check_size`).

    What a loop carries keeps its logical sizes; both branches of an `scf.if` give
    values of the same ones.

    Declines open mesh sizes, calls, other control flow, and a region that
    reshapes its own values to slice them flat.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def CheckCommunication : Pass<"coconet-check-communication", "::mlir::ModuleOp"> {
  let summary = "prove that no rank waits for ever, and that data in flight is left alone";
  let description = [{
    Before: rank programs. One function is run by all ranks of its mesh, several
    by those that `coconet.ranks` lists. The pass changes nothing. It builds what
    each rank starts, in order, and plays it: communication completes when it is
    next on all its members. Since no member is left open, a program that gets
    stuck in the play gets stuck on every machine.

    Reported, with the ranks, the ops and a remedy: members at different
    collectives, or at ones of other element type, count, reduction, dimension,
    root or group; ranks that wait in a circle; a rank that has ended while others
    wait for it; a send without receive, and the reverse; communication in a loop
    or branch that its members do not run alike; a write to a tensor that started
    communication reads; communication that is started and not waited for exactly
    once. Start order on a rank counts, waited for or not. Sizes that are open are
    compared where one function computes them.
  }];
}

def WatchNonfinite : Pass<"coconet-watch-nonfinite", "::mlir::ModuleOp"> {
  let summary = "check every float for infinity and NaN where it is computed";
  let description = [{
    Before and after: rank programs. `coconet.rank.check_finite` follows every op
    that computes floats, and comes first for every float argument, so that a run
    fails at the first op, on the first rank, whose value is not finite. Fused
    regions are taken apart, so that each op of them is seen.
  }];
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

def BFloatAsBits : Pass<"coconet-bfloat-as-bits", "::mlir::ModuleOp"> {
  let summary = "let bf16 lie in memory as 16-bit integers";
  let description = [{
    Loads and stores of bf16, and of vectors of it, become those of i16. What is
    only copied is never a bf16 then: where a processor has no arithmetic for it,
    LLVM's code generator cannot shuffle vectors of it.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def PackArguments : Pass<"coconet-pack-arguments", "::mlir::ModuleOp"> {
  let summary = "let functions take their arguments through one pointer";
  let description = [{
    Before: rank functions over buffers, with a C interface. After: `@f` is
    `@_mlir__mlir_ciface_f`, the packed entry point that an execution engine would
    make of it, of one argument: a table of addresses of variables that hold the
    arguments (behind one for results, if there are some). A buffer's variable
    holds the address of its descriptor. `coconet.address_table` becomes stores,
    or a loop over arguments that follow each other.

    Functions of a thousand buffers, as of a model's parameters, would otherwise
    have ten thousand arguments, and compile for seconds.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect"];
}

#endif // COCONET_PASSES_TD
