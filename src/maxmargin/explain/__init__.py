"""Which features and which training rows that a model rests on."""

from maxmargin.explain.importances import Importances, importances
from maxmargin.explain.influences import Influences, influences
from maxmargin.explain.rows import explain

__all__ = ["Importances", "Influences", "explain", "importances", "influences"]
