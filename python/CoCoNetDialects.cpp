//===- CoCoNetDialects.cpp - Attributes of the dialect in Python ----------===//

#include "CAPI/Attributes.h"

#include "mlir/Bindings/Python/IRAttributes.h"
#include "mlir/Bindings/Python/IRCore.h"
#include "mlir/Bindings/Python/Nanobind.h"
#include "mlir/Bindings/Python/NanobindAdaptors.h"

#include <string>

namespace nb = nanobind;

namespace mlir::python::MLIR_BINDINGS_PYTHON_DOMAIN::coconet {

struct ReductionAttr : PyConcreteAttribute<ReductionAttr> {
  static constexpr IsAFunctionTy isaFunction = coconetAttributeIsAReduction;
  static constexpr const char *pyClassName = "ReductionAttr";
  using Base::Base;

  static void bindDerived(ClassTy &c) {
    c.def_static(
        "get",
        [](const std::string &kind, DefaultingPyMlirContext context) {
          MlirAttribute attr = coconetReductionAttrGet(
              context->get(), mlirStringRefCreate(kind.data(), kind.size()));
          if (mlirAttributeIsNull(attr))
            throw nb::value_error(("unknown reduction '" + kind + "'").c_str());
          return ReductionAttr(context->getRef(), attr);
        },
        nb::arg("kind"), nb::arg("context") = nb::none(),
        "The reduction called `kind`.");
    c.def_prop_ro(
        "kind",
        [](ReductionAttr &self) {
          MlirStringRef kind = coconetReductionAttrGetKind(self);
          return nb::str(kind.data, kind.length);
        },
        "Name of the reduction.");
  }
};

} // namespace mlir::python::MLIR_BINDINGS_PYTHON_DOMAIN::coconet

NB_MODULE(_coconetDialects, m) {
  m.doc() = "Attributes of the coconet dialect";
  mlir::python::MLIR_BINDINGS_PYTHON_DOMAIN::coconet::ReductionAttr::bind(m);
}
