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

#endif // COCONET_PASSES_TD
