//===- CoCoNetDialect.td - dialect definition and prose ---------------------===//

#ifndef COCONET_DIALECT_TD
#define COCONET_DIALECT_TD

include "mlir/IR/OpBase.td"

def CoCoNet_Dialect : Dialect {
  let name = "coconet";
  let cppNamespace = "::coconet";
  let summary = "computation and communication of a distributed tensor program";
  let description = [{
    A program is a function over builtin tensors. The encoding of a tensor,
    `#coconet.layout`, says how its *logical* value lies on a mesh of ranks; a
    tensor without encoding is replicated. Collectives change the layout of a
    replicated, sliced or partial value and never its logical value; on local
    values they compute new ones. See CoCoNet (Jangda et al., ASPLOS 2022).

    Discardable attributes of the dialect:

    - `coconet.name = "avg"` on any operation: the name by which schedules find
      it and messages call it.
    - `coconet.state` (unit) on a function argument: the tensor is state that
      `coconet.update` may overwrite.
    - `coconet.dims = ["n", "m"]` on a function argument: names of its
      dimensions; dimensions of one name have one size. An empty string leaves
      a dimension unnamed.
    - `coconet.arg_name = "grad"` on a function argument and
      `coconet.result_name` on a result: names used at run time.
    - `coconet.layout` on an argument or result of a rank function: how the
      tensors of the ranks make the logical one; absent means replicated.
    - `coconet.size_of = [argument, dim]` on an index argument of a rank function:
      it carries the logical size of that dimension, which one rank's slice does
      not tell.
    - `coconet.states = n` on a function of kernels: its last n results are
      states written in place.
    - `coconet.mesh` on a function or module: the mesh of a program whose types
      do not mention one.
    - `coconet.stage = i` on a function: it is one of several programs of unlike
      ranks; stages take consecutive ranks in this order.
    - `coconet.ranks = array<i64: 2, 3>` on a function: the ranks that run it; the
      one at position i has number i in the function's mesh. Binding the mesh
      derives it from `coconet.stage`.
    - `coconet.wire_type = f16` on a collective: the element type in which values
      travel; they are added in a wider one. Lossy.
    - `coconet.rounding` (unit) on a cast from f32: the one rounding of a sum of
      f16 or bf16 that was split into levels.
    - `coconet.algorithm = "one_shot"` on a collective: how the target does it
      (one_shot, two_shot, ring or library), with `coconet.channels = n`.
    - `coconet.started = "all_reduce 1"` on a symmetric kernel and on the
      `symmetric_start` that it waits for: what messages call the pair, which no
      other in the function is called.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let hasConstantMaterializer = 1;
  // Each family of ops has a header of its own.
  let extraClassDeclaration = [{
    void addCoreOps();
    void addNeuralOps();
    void addRootedOps();
    void addChannelOps();
    void addListOps();
    void addOverlapOps();
    void addRankOps();
    void addKernelOps();
  }];
}

#endif // COCONET_DIALECT_TD
