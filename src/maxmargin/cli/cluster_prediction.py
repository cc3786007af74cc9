"""`predict --cluster`: pieces of files to predictions on workers, and from there to files."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path, PurePath
from typing import Any

import click
import numpy as np

from maxmargin.cli.cluster import connected
from maxmargin.cli.inputs import check_table_options, rows_for
from maxmargin.cli.judge import Judge
from maxmargin.cli.predict import predictions, write_predictions
from maxmargin.data.files import Block, Format
from maxmargin.data.files.error import NoRowsError
from maxmargin.data.files.format import format_of_name
from maxmargin.data.files.sink import open_sink


@dataclass(frozen=True)
class ClusterPrediction:
    """What `predict --cluster` does with each piece.

    Parameters
    ----------
    estimator : estimator
        Fitted.
    judge : Judge
        Of the predictions.
    scores, probability, quiet : bool
        The options.
    """

    estimator: Any
    judge: Judge
    scores: bool
    probability: bool
    quiet: bool

    def run_on(
        self,
        cluster: str,
        data: str,
        output: str,
        options: dict[str, Any],
        given: Sequence[tuple[str, Any]],
        check: Callable[[str], None],
    ) -> None:
        """Have workers predict, and write what they say in the order of the rows.

        Parameters
        ----------
        cluster : str
            The address of a scheduler, or local:N.
        data : str
            A file, a folder or a pattern.
        output : str
            A file, "-", or a folder, which gets a file for each of the data.
        options : dict
            Of `DataFile`.
        given : sequence of (str, value)
            Options that are for tables alone.
        check : callable
            Refuses a place that must not be written.
        """
        if data == "-":
            raise click.UsageError("workers cannot read standard input; give files")
        folder = output.endswith(os.sep) or Path(output).is_dir()
        if not folder:
            check(output)
        with connected(cluster):
            from maxmargin.distributed import Files
            from maxmargin.distributed.pieces import format_of, pieces_of

            pieces = pieces_of(data, **options)
            kind = format_of(pieces)
            check_table_options(kind, data, options["dialect"], given)
            if kind is Format.LIBSVM:  # whose indices begin where those of all pieces do
                pieces = Files(data, **options).pieces
            files = [(output, pieces)]
            if folder:
                files = list(_by_file(Path(output), pieces, kind))
                _check_folder(files, check)
            for place, part in files:
                try:
                    with open_sink(place) as stream:
                        write_predictions(self._frames(part), stream, format_of_name(place))
                except NoRowsError:  # one of many files may be empty
                    if len(files) == 1:
                        raise

    def _frames(self, pieces: Sequence[Any]) -> Iterator[Any]:
        """Predictions of pieces, as tables, in order."""
        from maxmargin.distributed.files import on_workers

        empty, said = True, set()
        asked = self.scores, self.probability
        for frame, block, texts in on_workers(pieces, predict_piece, self.estimator, *asked):
            for text in texts:
                if text not in said:
                    said.add(text)
                    warnings.warn(text, stacklevel=2)
            if frame is not None:
                empty = False
                self.judge.add(block, frame["prediction"].to_numpy())
                yield frame
        if empty:
            raise NoRowsError("there are no rows", pieces[0].file.name)


def predict_piece(
    piece: Any, estimator: Any, scores: bool, probability: bool
) -> tuple[Any, Any, list[str]]:
    """Predict the rows of a piece, on a worker.

    Parameters
    ----------
    piece : Piece
        Of a file.
    estimator : estimator
        Fitted.
    scores, probability : bool
        Whether decision values and probabilities are wanted.

    Returns
    -------
    frame, block, texts
        Predictions, the rows without features, and what is to be warned of; of no rows nothing.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        try:
            block = piece.read()
        except NoRowsError:
            return None, None, []
        X = rows_for(estimator, block, piece.name, piece.file.dialect)
        frame = predictions(estimator, X, block, scores, probability)
    texts = [str(warning.message) for warning in caught]
    return frame, Block(np.empty((block.n_rows, 0)), block.y, target=block.target), texts


def _by_file(folder: Path, pieces: Sequence[Any], kind: Format) -> Iterator[tuple[str, list[Any]]]:
    """Yield where the predictions of each file go, and its pieces."""
    ending = ".parquet" if kind is Format.PARQUET else ".csv"
    for name, group in groupby(pieces, key=lambda piece: piece.file.name):
        stem = PurePath(name).name.partition(".")[0]
        yield str(folder / f"{stem}{ending}"), list(group)


def _check_folder(files: Sequence[tuple[str, list[Any]]], check: Callable[[str], None]) -> None:
    """Refuse a folder in which something would be lost."""
    places = [place for place, _ in files]
    for place, pieces in files:
        if places.count(place) > 1:
            raise click.UsageError(f"two files would be written to {place}; give one file for all")
        if Path(place).resolve() == Path(pieces[0].address).resolve():
            raise click.UsageError(f"{place} would be both read and written")
        Path(place).parent.mkdir(parents=True, exist_ok=True)
        check(place)
