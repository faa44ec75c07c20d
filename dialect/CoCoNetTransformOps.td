//===- CoCoNetTransformOps.td - The schedule language -------*- tablegen -*-===//

#ifndef COCONET_TRANSFORM_OPS_TD
#define COCONET_TRANSFORM_OPS_TD

include "mlir/Dialect/Transform/IR/TransformDialect.td"
include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def CoCoNet_MatchOp : Op<Transform_Dialect, "coconet.match",
    [DeclareOpInterfaceMethods<TransformOpInterface>,
     NavigationTransformOpTrait, MemoryEffectsOpInterface]> {
  let summary = "Find ops by their coconet.name";
  let cppNamespace = "::coconet";
  let arguments = (ins TransformHandleTypeInterface:$target, StrAttr:$name);
  let results = (outs TransformHandleTypeInterface:$result);
  let assemblyFormat = [{
    $name `in` $target attr-dict `:` functional-type($target, $result)
  }];
}

#endif // COCONET_TRANSFORM_OPS_TD
