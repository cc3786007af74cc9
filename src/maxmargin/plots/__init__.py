"""Pictures: computed data first (`frame`), drawing second (`plot`). Needs the extra `plot`."""

from maxmargin.plots.convergence import ConvergenceDisplay
from maxmargin.plots.decision import BoundaryDisplay
from maxmargin.plots.display import Display

__all__ = ["BoundaryDisplay", "ConvergenceDisplay", "Display"]
