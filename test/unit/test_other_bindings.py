"""Another package's MLIR bindings live in the same process, in either order."""

import subprocess
import sys

import pytest

USE_BOTH = """
import importlib, sys
packages = sys.argv[1:]
irs = {name: importlib.import_module(name + ".ir") for name in packages}
for name in packages + packages[::-1]:
    ir = irs[name]
    with ir.Context() as context, ir.Location.unknown():
        ir.Module.parse("func.func private @f(tensor<4xf32>)")
        importlib.import_module(name + ".passmanager").PassManager.parse("any(canonicalize)")
        known = True
        try:
            context.dialects["coconet"]
        except IndexError:
            known = False
        assert known == (name == "coconet_mlir"), name
"""


@pytest.mark.parametrize("order", [("mlir", "coconet_mlir"), ("coconet_mlir", "mlir")])
def test_both_bindings_in_one_process(order):
    subprocess.run([sys.executable, "-c", USE_BOTH, *order], check=True)
