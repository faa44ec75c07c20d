// RUN: coconet-opt %examples/momentum.mlir --fuse-allreduce=slice-state | FileCheck %examples/momentum.mlir
