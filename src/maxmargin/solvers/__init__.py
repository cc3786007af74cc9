"""Solvers: the only loops."""

from maxmargin.solvers.smo import smo

__all__ = ["smo"]
