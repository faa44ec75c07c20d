//===- CoCoNetInterfaces.td - op interfaces ---------------------------------===//

#ifndef COCONET_INTERFACES_TD
#define COCONET_INTERFACES_TD

include "CoCoNetDialect.td"
include "mlir/IR/Interfaces.td"

def CoCoNet_IterationOpInterface : OpInterface<"IterationOpInterface"> {
  let cppNamespace = "::coconet";
  let description = [{
    An op that computes one result by iterating over a box: pointwise ops,
    contractions and reductions. Layout inference and the transformations are
    written once against it.
  }];
  let methods = [
    InterfaceMethod<[{
        Iterators, indexing maps of operands and result, and how reduction
        iterators combine.
      }], "::coconet::Iteration", "getIteration">,
    InterfaceMethod<[{
        Whether the result is linear and homogeneous in the operands of the set
        taken together, the others held fixed.
      }], "bool", "isLinearIn", (ins "const ::llvm::SmallBitVector &":$operands)>,
    InterfaceMethod<[{
        Whether all iterators are parallel and operands are read at the element
        that is written.
      }], "bool", "isPointwise", (ins), [{}], [{
        return $_op.getIteration().isPointwise();
      }]>
  ];
}

def CoCoNet_CollectiveOpInterface : OpInterface<"CollectiveOpInterface"> {
  let cppNamespace = "::coconet";
  let description = "An op whose ranks exchange data along axes or groups.";
  let methods = [
    InterfaceMethod<"Axes of the group, major to minor; empty with `groups`.",
        "::llvm::SmallVector<::mlir::StringAttr>", "getGroupAxes">,
    InterfaceMethod<"Explicit groups of ranks, or null.",
        "::mlir::ArrayAttr", "getGroupLists">
  ];
}

#endif // COCONET_INTERFACES_TD
