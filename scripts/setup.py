"""Sets up the development environment that this script runs in.

`packages` installs what pyproject.toml names, the build requirements and every
extra included. `links` makes the build tree usable from any folder: as
`import coconet_mlir`, and as the commands `coconet` and `coconet-opt` beside
this Python.
"""

import argparse
import stat
import subprocess
import sys
import sysconfig
from pathlib import Path

try:
    import tomllib
except ImportError:  # Python 3.10 has it as a part of pip
    from pip._vendor import tomli as tomllib

ROOT = Path(__file__).resolve().parent.parent


def requirements() -> list[str]:
    """All requirements of pyproject.toml, the only place that names versions."""
    with open(ROOT / "pyproject.toml", "rb") as file:
        config = tomllib.load(file)
    project = config["project"]
    extras = project["optional-dependencies"].values()
    groups = [config["build-system"]["requires"], project["dependencies"], *extras]
    return sorted({requirement for group in groups for requirement in group})


def install_packages() -> None:
    """Installs the requirements with pip, unless these very ones were before."""
    wanted = "".join(f"{requirement}\n" for requirement in requirements())
    installed = Path(sys.prefix) / "coconet-requirements.txt"
    if installed.exists() and installed.read_text() == wanted:
        return
    print("Installing LLVM, MLIR and Python packages: about 2 GB, a few minutes", flush=True)
    command = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check"]
    subprocess.run([*command, *requirements()], check=True)
    installed.write_text(wanted)


def console_script(entry: str) -> str:
    """The text of a command that calls `entry`, given as `module:function`."""
    module, function = entry.split(":")
    return (
        f"#!{sys.executable}\nimport sys\nfrom {module} import {function}\nsys.exit({function}())\n"
    )


def write_links(build: Path) -> None:
    """Points this Python and its commands at the package in `build`."""
    packages = build / "python_packages"
    site_packages = Path(sysconfig.get_paths()["purelib"])
    (site_packages / "coconet-build-tree.pth").write_text(f"{packages}\n")

    # Not through sys.executable's target: a virtual environment's Python is a link.
    commands = Path(sys.executable).parent
    coconet = commands / "coconet"
    coconet.write_text(console_script("coconet_mlir.cli:main"))
    coconet.chmod(coconet.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    coconet_opt = commands / "coconet-opt"
    coconet_opt.unlink(missing_ok=True)
    coconet_opt.symlink_to(packages / "coconet_mlir" / "bin" / "coconet-opt")


def main() -> None:
    """Runs one of the two steps."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", choices=["packages", "links"])
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="build tree")
    arguments = parser.parse_args()
    if arguments.step == "packages":
        install_packages()
    else:
        write_links(arguments.build.absolute())


if __name__ == "__main__":
    main()
