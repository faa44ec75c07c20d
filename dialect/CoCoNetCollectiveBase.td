//===- CoCoNetCollectiveBase.td - base of collectives -----------------------===//

#ifndef COCONET_COLLECTIVE_BASE_TD
#define COCONET_COLLECTIVE_BASE_TD

include "CoCoNetOpBase.td"

// The group of a collective is given by `axes` of the operand's mesh, or by
// explicit `groups` of ranks; in the second case operand and result are local.
// The position in the group decides chunk, concatenation order and root.
class CoCoNet_CollectiveOp<string mnemonic, list<Trait> traits = []>
    : CoCoNet_Op<mnemonic, !listconcat([Pure,
        DeclareOpInterfaceMethods<CoCoNet_CollectiveOpInterface>], traits)> {
  let extraClassDefinition = [{
    ::llvm::SmallVector<::mlir::StringAttr> $cppClass::getGroupAxes() {
      return ::coconet::axisList(getAxesAttr());
    }
    ::mlir::ArrayAttr $cppClass::getGroupLists() { return getGroupsAttr(); }
  }];
  // The result type that follows from the operand; null, with an error, where
  // the operand is not acceptable.
  let extraClassDeclaration = [{
    ::mlir::FailureOr<::mlir::RankedTensorType> inferType();
  }];
  let hasVerifier = 1;
}

defvar CoCoNet_GroupFormat = [{ `on` custom<Group>($axes, $groups) }];
defvar CoCoNet_TypeFormat = [{ attr-dict `:` type($operand) `->` type($result) }];

#endif // COCONET_COLLECTIVE_BASE_TD
