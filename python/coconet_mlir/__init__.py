"""A compiler for distributed tensor programs.

Importing this package loads none of the compiler: modules load on first use.
"""

__version__ = "0.1.0"
