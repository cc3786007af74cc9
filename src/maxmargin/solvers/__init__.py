"""Solvers: the only loops."""

from maxmargin.solvers.hard_margin import hard_margin
from maxmargin.solvers.smo import smo

__all__ = ["hard_margin", "smo"]
