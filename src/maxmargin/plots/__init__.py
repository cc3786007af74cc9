"""Pictures: computed data first (`frame`), drawing second (`plot`). Needs the extra `plot`."""

from importlib.util import find_spec
from typing import TYPE_CHECKING

if find_spec("matplotlib") is None:
    raise ImportError("Plots need matplotlib: pip install maxmargin[plot]", name="matplotlib")

from maxmargin.plots.c_path import CPathDisplay
from maxmargin.plots.comparison import ComparisonDisplay
from maxmargin.plots.convergence import ConvergenceDisplay
from maxmargin.plots.decision import BoundaryDisplay
from maxmargin.plots.display import Display
from maxmargin.plots.explanation import ExplanationDisplay, SupportDisplay
from maxmargin.plots.gram import GramDisplay
from maxmargin.plots.importances import ImportanceDisplay
from maxmargin.plots.influences import InfluenceDisplay
from maxmargin.plots.leads import LeadDisplay
from maxmargin.plots.learning import LearningDisplay
from maxmargin.plots.losses import LossDisplay, SubgradientDisplay
from maxmargin.plots.maps import LiftDisplay
from maxmargin.plots.margins import MarginDisplay
from maxmargin.plots.picture import picture_of
from maxmargin.plots.predictions import PredictionDisplay
from maxmargin.plots.ranking import PrecisionRecallDisplay, RocDisplay
from maxmargin.plots.regression import RegressionDisplay
from maxmargin.plots.reliability import ReliabilityDisplay
from maxmargin.plots.residuals import ResidualDisplay
from maxmargin.plots.search import SearchDisplay, ValidationDisplay
from maxmargin.plots.traces import PathDisplay, TraceDisplay
from maxmargin.prompt import hints

__all__ = [
    "BoundaryDisplay",
    "CPathDisplay",
    "ComparisonDisplay",
    "ConvergenceDisplay",
    "Display",
    "ExplanationDisplay",
    "GramDisplay",
    "ImportanceDisplay",
    "InfluenceDisplay",
    "LeadDisplay",
    "LearningDisplay",
    "LiftDisplay",
    "LossDisplay",
    "MarginDisplay",
    "PathDisplay",
    "PrecisionRecallDisplay",
    "PredictionDisplay",
    "RegressionDisplay",
    "ReliabilityDisplay",
    "ResidualDisplay",
    "RocDisplay",
    "SearchDisplay",
    "SubgradientDisplay",
    "SupportDisplay",
    "TraceDisplay",
    "ValidationDisplay",
    "picture_of",
]

if not TYPE_CHECKING:
    __getattr__ = hints(
        __name__,
        __all__,
        {
            **dict.fromkeys(
                ["plot", "plot_svm", "plot_svc", "draw", "show", "margin_plot", "plot_margin"],
                "model.plot(X, y), or picture_of(model, X, y).plot()",
            ),
            **dict.fromkeys(["plot_loss", "plot_losses"], "LossDisplay.from_losses([...]).plot()"),
            **dict.fromkeys(["plot_run", "plot_trace"], "run.plot(), or TraceDisplay"),
            "DecisionBoundaryDisplay": "BoundaryDisplay",
        },
    )
