"""The schedule as ops of the transform dialect."""

from .._coconet_transform_ops_gen import *  # noqa: F403
