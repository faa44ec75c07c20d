//===- CoCoNetEnums.td - enumerations ---------------------------------------===//

#ifndef COCONET_ENUMS_TD
#define COCONET_ENUMS_TD

include "CoCoNetDialect.td"
include "mlir/IR/EnumAttr.td"

class CoCoNet_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::coconet";
  let genSpecializedAttr = 0;
}

def CoCoNet_Reduction : CoCoNet_Enum<"Reduction",
    "how a collective combines the values of ranks", [
  I32EnumAttrCase<"sum", 0>, I32EnumAttrCase<"prod", 1>,
  I32EnumAttrCase<"max", 2>, I32EnumAttrCase<"min", 3>,
  I32EnumAttrCase<"avg", 4>]>;
def CoCoNet_ReductionAttr
    : EnumAttr<CoCoNet_Dialect, CoCoNet_Reduction, "reduction">;

def CoCoNet_ReduceKind : CoCoNet_Enum<"ReduceKind",
    "how `reduce` combines elements", [
  I32EnumAttrCase<"sum", 0>, I32EnumAttrCase<"max", 1>,
  I32EnumAttrCase<"min", 2>, I32EnumAttrCase<"mean", 3>]>;
def CoCoNet_ReduceKindAttr
    : EnumAttr<CoCoNet_Dialect, CoCoNet_ReduceKind, "reduce_kind">;

def CoCoNet_Predicate : CoCoNet_Enum<"Predicate",
    "what `compare` tests; unordered float operands (NaN) only satisfy `ne`", [
  I32EnumAttrCase<"eq", 0>, I32EnumAttrCase<"ne", 1>,
  I32EnumAttrCase<"lt", 2>, I32EnumAttrCase<"le", 3>,
  I32EnumAttrCase<"gt", 4>, I32EnumAttrCase<"ge", 5>]>;
def CoCoNet_PredicateAttr
    : EnumAttr<CoCoNet_Dialect, CoCoNet_Predicate, "predicate">;

def CoCoNet_FusedKind : CoCoNet_Enum<"FusedKind",
    "what a `fused` region is lowered to", [
  I32EnumAttrCase<"computation", 0>, I32EnumAttrCase<"all_reduce", 1>,
  I32EnumAttrCase<"reduce_scatter", 2>, I32EnumAttrCase<"all_gather", 3>,
  I32EnumAttrCase<"matmul", 4>, I32EnumAttrCase<"send", 5>]>;
def CoCoNet_FusedKindAttr
    : EnumAttr<CoCoNet_Dialect, CoCoNet_FusedKind, "fused_kind">;

def CoCoNet_Access : CoCoNet_Enum<"Access",
    "how a symmetric kernel uses an operand", [
  // Of all members' full tensors: the reduction of the elements of one's chunk.
  I32EnumAttrCase<"reduce", 0>,
  // Of one's own full tensor: the elements of one's chunk.
  I32EnumAttrCase<"slice", 1>,
  // A tensor that is a chunk.
  I32EnumAttrCase<"chunk", 2>,
  // A tensor without the dimension that is cut.
  I32EnumAttrCase<"shared", 3>,
  // Into every member's full tensor: the elements of one's chunk.
  I32EnumAttrCase<"gather", 4>,
  // Into one scalar: the sum over the elements of one's chunk.
  I32EnumAttrCase<"fold", 5>]>;
def CoCoNet_AccessAttr : EnumAttr<CoCoNet_Dialect, CoCoNet_Access, "access">;

#endif // COCONET_ENUMS_TD
