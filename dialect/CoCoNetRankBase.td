//===- CoCoNetRankBase.td - base of ops of rank programs --------------------===//

#ifndef COCONET_RANK_BASE_TD
#define COCONET_RANK_BASE_TD

include "CoCoNetCollectiveBase.td"

// `mesh` is bound; `axes` or `groups` name the members as in distributed programs.
class CoCoNet_RankOp<string mnemonic, list<Trait> traits = []>
    : CoCoNet_Op<"rank." # mnemonic, traits> {
  let results = (outs CoCoNet_Tensor:$result);
  let cppNamespace = "::coconet";
}

class CoCoNet_RankCollectiveOp<string mnemonic>
    : CoCoNet_RankOp<mnemonic, [
        DeclareOpInterfaceMethods<CoCoNet_CollectiveOpInterface>]> {
  let extraClassDefinition = [{
    ::llvm::SmallVector<::mlir::StringAttr> $cppClass::getGroupAxes() {
      return ::coconet::axisList(getAxesAttr());
    }
    ::mlir::ArrayAttr $cppClass::getGroupLists() { return getGroupsAttr(); }
  }];
  let hasVerifier = 1;
}

defvar CoCoNet_RankGroupFormat = [{ `on` custom<Group>($axes, $groups) `of` $mesh }];

#endif // COCONET_RANK_BASE_TD
