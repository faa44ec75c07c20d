"""Case K02: what the wheel installs works by itself, away from the build tree."""

import importlib.util
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import coconet_mlir
import pytest

PACKAGES = Path(coconet_mlir.__file__).parent.parent
BUILD = PACKAGES.parent

PROGRAM = """
import numpy as np
import coconet_mlir as cc

@cc.program(mesh=cc.mesh(dp="?"))
def total(x: cc.partial("n", dp="sum")):
    return {"sum": cc.all_reduce(x)}

with total.compile(ranks=2) as exe:
    print(exe(x=np.arange(6, dtype=np.float32).reshape(2, 3))["sum"].tolist())
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    if not (BUILD / "cmake_install.cmake").exists():
        pytest.skip("the package is not that of a build tree")
    prefix = tmp_path_factory.mktemp("installed")
    command = ["cmake", "--install", BUILD, "--prefix", prefix]
    command += ["--component", "CoCoNetPythonModules"]
    tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    subprocess.run(
        command, check=True, capture_output=True, env={**os.environ, "PATH": tools}, timeout=120
    )
    # In site-packages LLVM lies beside the package.
    llvm = importlib.util.find_spec("llvm")
    (prefix / "llvm").symlink_to(Path(llvm.origin).parent)
    return prefix


def python(installed: Path, *arguments: str) -> str:
    """What Python prints with the installed package, and no other, on its path."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("LD_", "COCONET_"))}
    environment["PYTHONPATH"] = str(installed)
    run = subprocess.run(
        [sys.executable, *arguments],
        cwd=installed,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_case_K02_every_module_imports(installed):
    names = [
        module.name
        for module in pkgutil.walk_packages([str(installed / "coconet_mlir")], "coconet_mlir.")
        if "._mlir_libs." not in module.name
    ]
    assert "coconet_mlir.compile" in names
    python(
        installed,
        "-c",
        "import importlib\n"
        f"for name in {names}:\n"
        f"    assert importlib.import_module(name).__file__.startswith({str(installed)!r}), name",
    )


def test_case_K02_program_runs_on_two_ranks(installed):
    assert python(installed, "-c", PROGRAM).strip() == "[3.0, 5.0, 7.0]"


def test_case_K02_libraries_are_found(installed):
    package = installed / "coconet_mlir"
    libraries = [*package.rglob("*.so"), package / "bin" / "coconet-opt"]
    assert len(libraries) > 5
    for library in libraries:
        listed = subprocess.run(["ldd", library], capture_output=True, text=True).stdout
        assert "not found" not in listed, listed
        assert str(BUILD) not in listed, listed
