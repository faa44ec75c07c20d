# RUN: %python %s | FileCheck %s
"""The package loads nothing heavy, and its modules know the dialect."""

import sys

import coconet_mlir  # noqa: F401

# CHECK: light: True
print("light:", not any(name.startswith("coconet_mlir.") for name in sys.modules))

from coconet_mlir import ir

# CHECK: coconet.neg
with ir.Context(), ir.Location.unknown():
    print(
        ir.Module.parse("""
      func.func @neg(%a: tensor<4xf32>) -> tensor<4xf32> {
        %0 = coconet.neg %a : tensor<4xf32> -> tensor<4xf32>
        return %0 : tensor<4xf32>
      }
    """)
    )
