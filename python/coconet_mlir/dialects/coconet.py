"""Op, attribute and enum classes of the coconet dialect."""

from .._mlir_libs._coconetDialects import *  # noqa: F403
from ._coconet_enum_gen import *  # noqa: F403
from ._coconet_ops_gen import *  # noqa: F403
