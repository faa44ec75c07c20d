//===- CoCoNetDialects.cpp - The dialect in Python ------------------------===//

#include "CAPI/Attributes.h"

#include "mlir-c/Dialect/Transform/Interpreter.h"
#include "mlir/Bindings/Python/IRAttributes.h"
#include "mlir/Bindings/Python/IRCore.h"
#include "mlir/Bindings/Python/Nanobind.h"
#include "mlir/Bindings/Python/NanobindAdaptors.h"

#include <string>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace mlir::python::MLIR_BINDINGS_PYTHON_DOMAIN::coconet {

static MlirStringRef toRef(const std::string &text) {
  return mlirStringRefCreate(text.data(), text.size());
}

static nb::str toStr(MlirStringRef text) {
  return nb::str(text.data, text.length);
}

struct ReductionAttr : PyConcreteAttribute<ReductionAttr> {
  static constexpr IsAFunctionTy isaFunction = coconetAttributeIsAReduction;
  static constexpr const char *pyClassName = "ReductionAttr";
  using Base::Base;

  static void bindDerived(ClassTy &c) {
    c.def_static(
        "get",
        [](const std::string &kind, DefaultingPyMlirContext context) {
          MlirAttribute attr =
              coconetReductionAttrGet(context->get(), toRef(kind));
          if (mlirAttributeIsNull(attr))
            throw nb::value_error(("unknown reduction '" + kind + "'").c_str());
          return ReductionAttr(context->getRef(), attr);
        },
        nb::arg("kind"), nb::arg("context") = nb::none(),
        "The reduction called `kind`.");
    c.def_prop_ro(
        "kind",
        [](ReductionAttr &self) {
          return toStr(coconetReductionAttrGetKind(self));
        },
        "Name of the reduction.");
  }
};

struct MeshAttr : PyConcreteAttribute<MeshAttr> {
  static constexpr IsAFunctionTy isaFunction = coconetAttributeIsAMesh;
  static constexpr const char *pyClassName = "MeshAttr";
  using Base::Base;
  using Axes = std::vector<std::pair<std::string, int64_t>>;

  static MeshAttr get(const Axes &axes, DefaultingPyMlirContext context) {
    std::vector<MlirStringRef> names;
    std::vector<int64_t> sizes;
    for (const auto &[name, size] : axes) {
      names.push_back(toRef(name));
      sizes.push_back(size);
    }
    PyMlirContext::ErrorCapture errors(context->getRef());
    MlirAttribute attr = coconetMeshAttrGet(context->get(), names.size(),
                                            names.data(), sizes.data());
    if (mlirAttributeIsNull(attr))
      throw MLIRError("Invalid mesh", errors.take());
    return MeshAttr(context->getRef(), attr);
  }

  Axes getAxes() {
    Axes axes;
    for (intptr_t i = 0, e = coconetMeshAttrGetNumAxes(*this); i < e; ++i) {
      MlirStringRef name = coconetMeshAttrGetAxis(*this, i);
      axes.emplace_back(std::string(name.data, name.length),
                        coconetMeshAttrGetSize(*this, i));
    }
    return axes;
  }

  static void bindDerived(ClassTy &c) {
    c.def_static("get", &MeshAttr::get, nb::arg("axes"),
                 nb::arg("context") = nb::none(),
                 "The mesh of pairs of a name and a size, -1 for an open one.");
    c.def_prop_ro("axes", &MeshAttr::getAxes,
                  "Pairs of an axis and its size, -1 where it is open.");
  }
};

struct LayoutAttr : PyConcreteAttribute<LayoutAttr> {
  static constexpr IsAFunctionTy isaFunction = coconetAttributeIsALayout;
  static constexpr const char *pyClassName = "LayoutAttr";
  using Base::Base;

  static LayoutAttr get(MeshAttr &mesh, PyAttribute &dims, PyAttribute &flat,
                        PyAttribute &partial, PyAttribute &local,
                        PyAttribute &rooted) {
    PyMlirContext::ErrorCapture errors(mesh.getContext());
    MlirAttribute attr =
        coconetLayoutAttrGet(mesh, dims, flat, partial, local, rooted);
    if (mlirAttributeIsNull(attr))
      throw MLIRError("Invalid layout", errors.take());
    return LayoutAttr(mesh.getContext(), attr);
  }

  template <MlirAttribute (*part)(MlirAttribute)>
  static auto getPart(LayoutAttr &self) {
    return PyAttribute(self.getContext(), part(self)).maybeDownCast();
  }

  static void bindDerived(ClassTy &c) {
    c.def_static("get", &LayoutAttr::get, nb::arg("mesh"), nb::arg("dims"),
                 nb::arg("flat"), nb::arg("partial"), nb::arg("local"),
                 nb::arg("rooted"), "The layout of these parts.");
    c.def_prop_ro(
        "mesh",
        [](LayoutAttr &self) {
          return MeshAttr(self.getContext(), coconetLayoutAttrGetMesh(self));
        },
        "The mesh.");
    c.def_prop_ro("dims", &getPart<coconetLayoutAttrGetDims>,
                  "An array of axis names per dimension, or empty.");
    c.def_prop_ro("flat", &getPart<coconetLayoutAttrGetFlat>,
                  "Axes that cut the flattening.");
    c.def_prop_ro("partial", &getPart<coconetLayoutAttrGetPartial>,
                  "Reduction by axis along which the value is pending.");
    c.def_prop_ro("local", &getPart<coconetLayoutAttrGetLocal>,
                  "Axes along which ranks hold unrelated values.");
    c.def_prop_ro("rooted", &getPart<coconetLayoutAttrGetRooted>,
                  "Root by axis along which one rank holds the value.");
  }
};

/// The type of the result of an op whose result type is not inferred by the
/// bindings.
static nb::object inferType(PyOperationBase &self) {
  PyOperation &op = self.getOperation();
  PyMlirContext::ErrorCapture errors(op.getContext());
  MlirType type = coconetOperationInferType(op.get());
  if (mlirTypeIsNull(type))
    throw MLIRError("Type inference failed", errors.take());
  return nb::cast(PyType(op.getContext(), type).maybeDownCast());
}

/// As upstream's function of the same name, but failure carries diagnostics
/// with their locations, and what a success reports goes to the handlers of the
/// context.
static void applyNamedSequence(PyOperationBase &payload, PyOperationBase &root,
                               PyOperationBase &module) {
  PyMlirContext::ErrorCapture errors(payload.getOperation().getContext());
  MlirTransformOptions options = mlirTransformOptionsCreate();
  MlirLogicalResult result = mlirTransformApplyNamedSequence(
      payload.getOperation().get(), root.getOperation().get(),
      module.getOperation().get(), options);
  mlirTransformOptionsDestroy(options);
  if (mlirLogicalResultIsFailure(result))
    throw MLIRError("Schedule failed", errors.take());
  (void)errors.take();
}

} // namespace mlir::python::MLIR_BINDINGS_PYTHON_DOMAIN::coconet

NB_MODULE(_coconetDialects, m) {
  using namespace mlir::python::MLIR_BINDINGS_PYTHON_DOMAIN::coconet;
  m.doc() = "Attributes of the coconet dialect";
  ReductionAttr::bind(m);
  MeshAttr::bind(m);
  LayoutAttr::bind(m);
  m.def("infer_type", &inferType, nb::arg("op"),
        "The result type that follows from the operand of a collective, shard, "
        "reshape or broadcast_to.");
  m.def("apply_named_sequence", &applyNamedSequence, nb::arg("payload"),
        nb::arg("sequence"), nb::arg("module"),
        "Apply a sequence of the transform dialect to a payload.");
}
