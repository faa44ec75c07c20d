//===- SiteInitialize.cpp - What every Context knows ----------------------===//
//
// MLIR's Python package looks for a module of this name when it is imported,
// and hands the registry of all contexts to it.
//
//===----------------------------------------------------------------------===//

#include "CAPI/Registration.h"

#include "mlir/Bindings/Python/Nanobind.h"
#include "mlir/Bindings/Python/NanobindAdaptors.h"

namespace nb = nanobind;

NB_MODULE(_site_initialize_0, m) {
  m.doc() = "Registers the dialects and passes of coconet_mlir";
  m.def("register_dialects",
        [](MlirDialectRegistry registry) { coconetRegisterAll(registry); });
  coconetRegisterAllPasses();
  m.def(
      "keep_alive",
      [](nb::handle child, nb::handle parent) {
        nb::detail::keep_alive(child.ptr(), parent.ptr());
      },
      nb::arg("child"), nb::arg("parent"),
      "Let `parent` live as long as `child` does.");
}
