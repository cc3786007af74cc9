"""Which features and which training rows a model rests on."""

from maxmargin.explain.importances import Importances, importances

__all__ = ["Importances", "importances"]
