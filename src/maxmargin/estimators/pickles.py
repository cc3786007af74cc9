"""Pickles that know their format."""

from typing import Any

from maxmargin.estimators.parameters import defaults


class VersionedPickle:
    """Writes the format of the fitted attributes into a pickle and refuses any other.

    A parameter that is newer than the pickle has its default.
    """

    #: Raised whenever the fitted attributes change so that older pickles cannot be used.
    _pickle_format: int

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()  # type: ignore[assignment]
        return {**state, "_pickle_format": self._pickle_format}

    def __setstate__(self, state: dict[str, Any]) -> None:
        found = state.pop("_pickle_format", None)
        if found != self._pickle_format:
            raise ValueError(
                f"this {type(self).__name__} was pickled in format {found} but this version of "
                f"maxmargin reads format {self._pickle_format}: fit it again."
            )
        super().__setstate__({**defaults(type(self)), **state})  # type: ignore[misc]
