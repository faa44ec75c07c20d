//===- CoCoNetPointwiseOps.td - pointwise ops -------------------------------===//

#ifndef COCONET_POINTWISE_OPS_TD
#define COCONET_POINTWISE_OPS_TD

include "CoCoNetOpBase.td"

// Broadcasting is numpy's: shapes are aligned on the right, and a dimension of
// static size 1 is repeated.

class CoCoNet_UnaryOp<string mnemonic, string what, Type type,
                      string linearity = "None", bit monotone = 0>
    : CoCoNet_IterationOp<mnemonic, linearity, [], monotone> {
  let summary = what;
  let description = "Pointwise `" # mnemonic # "`: " # what # ".";
  let arguments = (ins type:$operand);
  let results = (outs type:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
}

class CoCoNet_BinaryOp<string mnemonic, string what, string linearity = "None",
                       Type type = CoCoNet_NumberTensor>
    : CoCoNet_IterationOp<mnemonic, linearity> {
  let summary = what;
  let description = "Pointwise `" # mnemonic # "`: " # what #
      ". Operands broadcast as in numpy and have one element type.";
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let assemblyFormat =
      "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)";
}

def CoCoNet_AddOp : CoCoNet_BinaryOp<"add", "sum of two values", "Joint">;
def CoCoNet_SubOp : CoCoNet_BinaryOp<"sub", "difference of two values", "Joint">;
def CoCoNet_MulOp : CoCoNet_BinaryOp<"mul", "product of two values", "Product">;
def CoCoNet_DivOp : CoCoNet_BinaryOp<"div",
    "quotient of two values; integers round towards zero, and a zero divisor gives 0", "Quotient">;
def CoCoNet_PowOp : CoCoNet_BinaryOp<"pow", "lhs to the power rhs", "None",
    CoCoNet_FloatTensor>;
def CoCoNet_MaxOp : CoCoNet_BinaryOp<"max", "larger of two values; NaN if either is NaN", "Max">;
def CoCoNet_MinOp : CoCoNet_BinaryOp<"min", "smaller of two values; NaN if either is NaN", "Min">;

def CoCoNet_NegOp : CoCoNet_UnaryOp<"neg", "negated value", CoCoNet_NumberTensor, "Joint">;
def CoCoNet_AbsOp : CoCoNet_UnaryOp<"abs", "absolute value", CoCoNet_NumberTensor>;
def CoCoNet_SqrtOp : CoCoNet_UnaryOp<"sqrt", "square root", CoCoNet_FloatTensor, "None", 1>;
def CoCoNet_RsqrtOp : CoCoNet_UnaryOp<"rsqrt", "1 / square root", CoCoNet_FloatTensor>;
def CoCoNet_ExpOp : CoCoNet_UnaryOp<"exp", "e to the power of the value", CoCoNet_FloatTensor, "None", 1>;
def CoCoNet_LogOp : CoCoNet_UnaryOp<"log", "natural logarithm", CoCoNet_FloatTensor, "None", 1>;
def CoCoNet_TanhOp : CoCoNet_UnaryOp<"tanh", "hyperbolic tangent", CoCoNet_FloatTensor, "None", 1>;
def CoCoNet_SigmoidOp : CoCoNet_UnaryOp<"sigmoid", "1 / (1 + exp(-x))", CoCoNet_FloatTensor, "None", 1>;
def CoCoNet_ReluOp : CoCoNet_UnaryOp<"relu", "max(x, 0)", CoCoNet_NumberTensor, "None", 1>;
def CoCoNet_GeluOp : CoCoNet_UnaryOp<"gelu",
    "Gaussian error linear unit, x (1 + erf(x / sqrt 2)) / 2", CoCoNet_FloatTensor>;
def CoCoNet_SiluOp : CoCoNet_UnaryOp<"silu", "x sigmoid(x)", CoCoNet_FloatTensor>;

def CoCoNet_IsFiniteOp : CoCoNet_IterationOp<"is_finite", "None"> {
  let summary = "whether the value is neither infinite nor NaN";
  let arguments = (ins CoCoNet_FloatTensor:$operand);
  let results = (outs CoCoNet_BoolTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
}

def CoCoNet_CompareOp : CoCoNet_IterationOp<"compare", "None"> {
  let summary = "comparison of two values";
  let arguments = (ins CoCoNet_PredicateAttr:$predicate, CoCoNet_Tensor:$lhs,
                       CoCoNet_Tensor:$rhs);
  let results = (outs CoCoNet_BoolTensor:$result);
  let assemblyFormat = [{
    `` $predicate $lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)
  }];
}

def CoCoNet_SelectOp : CoCoNet_IterationOp<"select", "Select"> {
  let summary = "one of two values, by a condition";
  let arguments = (ins CoCoNet_BoolTensor:$condition, CoCoNet_Tensor:$on_true,
                       CoCoNet_Tensor:$on_false);
  let results = (outs CoCoNet_Tensor:$result);
  let assemblyFormat = [{
    $condition `,` $on_true `,` $on_false attr-dict `:`
    type($condition) `,` type($on_true) `,` type($on_false) `->` type($result)
  }];
}

def CoCoNet_CastOp : CoCoNet_IterationOp<"cast", "Cast"> {
  let summary = "value in another element type";
  let description = [{
    Floats round to nearest even; floats to integers round towards zero and
    saturate, with NaN as 0; anything to `i1` tests for non-zero. Wider integers
    keep the sign, narrower ones the low bits.
  }];
  let arguments = (ins CoCoNet_Tensor:$operand, TypeAttr:$element_type);
  let results = (outs CoCoNet_Tensor:$result);
  let assemblyFormat = [{
    $operand `to` $element_type attr-dict `:` type($operand) `->` type($result)
  }];
}

def CoCoNet_DropoutOp : CoCoNet_IterationOp<"dropout", "First"> {
  let summary = "zero elements at random, scale the rest by 1 / (1 - rate)";
  let description = [{
    The mask depends on the seed, the step, the op's `stream` and the *global*
    element index alone, so replicas agree, slices differ, and neither schedule
    nor rank count changes it; along local axes the rank's coordinate joins.

    Philox-4x32-10 with key (seed low, seed high) and counter (index low, index
    high, step low 32 bits, stream + 2^16 * coordinate), where `index` is the
    row-major element index in the logical tensor and `coordinate` the composed
    position along the local axes in mesh order (0 without). An element is kept
    if the first output word is at least floor(rate * 2^32).
  }];
  let arguments = (ins CoCoNet_FloatTensor:$operand, CoCoNet_StepTensor:$step,
    F64Attr:$rate, DefaultValuedAttr<I64Attr, "0">:$seed,
    DefaultValuedAttr<I64Attr, "0">:$stream);
  let results = (outs CoCoNet_FloatTensor:$result);
  let assemblyFormat = [{
    $operand `step` $step `rate` $rate attr-dict `:` type($operand) `,` type($step)
    `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // COCONET_POINTWISE_OPS_TD
