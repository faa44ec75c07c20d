//===- coconet-opt.cpp - The optimizer driver -----------------------------===//

#include "InitAll.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  coconet::registerAll(registry);
  coconet::registerAllPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "CoCoNet optimizer driver\n", registry));
}
