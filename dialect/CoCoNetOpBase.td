//===- CoCoNetOpBase.td - op base classes and type constraints --------------===//

#ifndef COCONET_OP_BASE_TD
#define COCONET_OP_BASE_TD

include "CoCoNetDialect.td"
include "CoCoNetAttrs.td"
include "CoCoNetEnums.td"
include "CoCoNetInterfaces.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def CoCoNet_Element : AnyTypeOf<[F16, BF16, F32, F64, I1, I8, I32, I64]>;
def CoCoNet_FloatElement : AnyTypeOf<[F16, BF16, F32, F64]>;

// Passes count elements without a check for overflow.
class CoCoNet_TensorOf<list<Type> elements>
    : ConfinedType<RankedTensorOf<elements>,
        [CPred<"::coconet::isCountable(::llvm::cast<::mlir::ShapedType>($_self))">],
        RankedTensorOf<elements>.summary # ", of at most 2^63 - 1 elements">;

def CoCoNet_Tensor : CoCoNet_TensorOf<[F16, BF16, F32, F64, I1, I8, I32, I64]>;
def CoCoNet_FloatTensor : CoCoNet_TensorOf<[F16, BF16, F32, F64]>;
def CoCoNet_NumberTensor : CoCoNet_TensorOf<[F16, BF16, F32, F64, I8, I32, I64]>;
def CoCoNet_BoolTensor : CoCoNet_TensorOf<[I1]>;
// The step of a random stream: one integer, equal on all ranks.
def CoCoNet_StepTensor : CoCoNet_TensorOf<[I32, I64]>;

class CoCoNet_Op<string mnemonic, list<Trait> traits = []>
    : Op<CoCoNet_Dialect, mnemonic, traits>;

// Result types follow from operands and attributes, layout included.
class CoCoNet_InferredOp<string mnemonic, list<Trait> traits = []>
    : CoCoNet_Op<mnemonic, !listconcat([InferTypeOpAdaptor], traits)>;

// An op of one result that iterates over a box. `linearity` is the name of a
// case of `coconet::Linearity`; `monotone` says that the op is a monotone
// increasing function of one operand.
class CoCoNet_IterationOp<string mnemonic, string linearity,
                          list<Trait> traits = [], bit monotone = 0>
    : CoCoNet_InferredOp<mnemonic, !listconcat([Pure,
        DeclareOpInterfaceMethods<CoCoNet_IterationOpInterface>], traits)> {
  let extraClassDeclaration = [{
    /// The iteration of an op with these operands and attributes; failure, with
    /// a message at `location` if there is one, where shapes do not fit.
    static ::mlir::FailureOr<::coconet::Iteration>
    buildIteration(Adaptor adaptor, ::std::optional<::mlir::Location> location);
    static constexpr ::coconet::Linearity linearity =
        ::coconet::Linearity::}] # linearity # [{;
    static constexpr bool monotone = }] # !if(monotone, "true", "false") # [{;
  }];
  let extraClassDefinition = [{
    ::mlir::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *context, ::std::optional<::mlir::Location> location,
        $cppClass::Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      auto iteration = buildIteration(adaptor, location);
      if (::mlir::failed(iteration))
        return ::mlir::failure();
      return ::coconet::inferIterationType(getOperationName(), *iteration,
                                           adaptor.getOperands(), linearity,
                                           monotone, location, types);
    }
    ::coconet::Iteration $cppClass::getIteration() {
      return *buildIteration(Adaptor(*this), ::std::nullopt);
    }
    bool $cppClass::isLinearIn(const ::llvm::SmallBitVector &operands) {
      return ::coconet::isLinearIn(linearity, operands,
                                   (*this)->getOperandTypes(),
                                   (*this)->getResult(0).getType());
    }
  }];
}

#endif // COCONET_OP_BASE_TD
