"""Pictures: computed data first (`frame`), drawing second (`plot`). Needs the extra `plot`."""

from importlib.util import find_spec

if find_spec("matplotlib") is None:
    raise ImportError("Plots need matplotlib: pip install maxmargin[plot]", name="matplotlib")

from maxmargin.plots.convergence import ConvergenceDisplay
from maxmargin.plots.decision import BoundaryDisplay
from maxmargin.plots.display import Display

__all__ = ["BoundaryDisplay", "ConvergenceDisplay", "Display"]
