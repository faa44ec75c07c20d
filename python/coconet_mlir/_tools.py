"""Runs the native tools of the package."""

import os
import sys
from pathlib import Path
from typing import NoReturn

# Not resolved: in a build tree this file is a link to the source, and the tools
# are beside the link.
TOOL_DIR = Path(__file__).parent / "bin"


def coconet_opt() -> NoReturn:
    """Replaces this process by coconet-opt with the same arguments."""
    tool = TOOL_DIR / "coconet-opt"
    os.execv(tool, [str(tool), *sys.argv[1:]])
