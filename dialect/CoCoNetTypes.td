//===- CoCoNetTypes.td - types of the dialect -------------------------------===//

#ifndef COCONET_TYPES_TD
#define COCONET_TYPES_TD

include "CoCoNetDialect.td"
include "mlir/IR/AttrTypeBase.td"

def CoCoNet_FutureType : TypeDef<CoCoNet_Dialect, "Future"> {
  let mnemonic = "future";
  let summary = "values that communication under way will deliver";
  let description = [{
    What `coconet.rank.start` gives and `coconet.rank.wait` takes, once. A send
    delivers nothing: `!coconet.future`.

    ```mlir
    !coconet.future<tensor<4xf32>, tensor<8xf32>>
    ```
  }];
  let parameters = (ins OptionalArrayRefParameter<"::mlir::Type", "delivered types">:$types);
  let assemblyFormat = "(`<` $types^ `>`)?";
}

#endif // COCONET_TYPES_TD
