"""Configuration of lit: which files are tests and which tools they may call."""

import os

import lit.formats

config.name = "CoCoNet"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".py"]
config.excludes = ["Inputs", "lit.cfg.py", "lit.site.cfg.py"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.build_dir, "test", "lit")

tool_dirs = [
    os.path.join(config.packages_dir, "coconet_mlir", "bin"),
    config.llvm_tools_dir,
    config.mlir_tools_dir,
    os.path.dirname(config.python),
]
config.environment["PATH"] = os.pathsep.join([*tool_dirs, os.environ.get("PATH", "")])
config.environment["PYTHONPATH"] = config.packages_dir
# A failed test should show all of what FileCheck saw.
config.environment["FILECHECK_OPTS"] = "--enable-var-scope --dump-input=fail"

config.substitutions.append(("%python", config.python))
config.substitutions.append(("%examples", os.path.join(config.source_dir, "examples")))
