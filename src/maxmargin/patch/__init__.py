"""maxmargin's machines under the names of `sklearn.svm`, for programs that stay as they are."""

from maxmargin.patch.switch import patch_sklearn, unpatch_sklearn

__all__ = ["patch_sklearn", "unpatch_sklearn"]
