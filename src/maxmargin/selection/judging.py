"""Judging candidates on shared work: rows, products, one call of the engine each, scores."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.estimators.blas import OneBlasThread
from maxmargin.kernels import Linear
from maxmargin.problems import PathGrid
from maxmargin.selection.fold_rows import Fold, FoldRows, SearchData
from maxmargin.selection.memory import memory_bytes
from maxmargin.selection.products import Candidate, Product, Training, products
from maxmargin.selection.row_paths import solve_by_rows
from maxmargin.selection.scoring import Scoring
from maxmargin.selection.sharing import KERNEL_NAMES, NotShared, Subject
from maxmargin.selection.table import Table
from maxmargin.selection.watch import SearchWatch
from maxmargin.solvers import PathOutputs, solve_paths
from maxmargin.solvers.left_out_paths import MATRICES_EACH, leave_out_paths

#: Splits in one call of the engine.
MOST_SPLITS = 50
#: Kernels in one call where a search may be stopped: what is complete by then is kept.
FEW_KERNELS = 2
#: The outputs of one call may take this share of the memory.
_OUTPUT_SHARE = 0.25
#: What is said of candidates of which rows are left out one by one.
LEFT_OUT_COLUMNS = ("n_approximate", "least_errors", "most_errors")


class Judge:
    """Fills the table of a search.

    Parameters
    ----------
    subject : Subject
        The estimator.
    data : SearchData
        The search.
    scoring : Scoring
        How it scores.
    table : Table
        Where to.
    watch : SearchWatch
        Who may stop it.
    memory : float or "auto"
        Megabytes for kernel matrices, or for rows of one that would take more.
    n_threads : int
        Threads.
    train_scores : bool
        Whether to score the training rows, too.
    leaves_out : bool
        Whether every row is left out of the one split there is, in the place of folds.
    """

    def __init__(
        self,
        subject: Subject,
        data: SearchData,
        scoring: Scoring,
        table: Table,
        watch: SearchWatch,
        *,
        memory: float | str,
        n_threads: int,
        train_scores: bool,
        leaves_out: bool = False,
    ) -> None:
        if leaves_out:
            _check_leaves_out(subject, data)
        self._subject = subject
        self._data = data
        self._scoring = scoring
        self._table = table
        self._watch = watch
        self._given_memory, self._memory = memory, memory_bytes(memory)
        self._n_threads = n_threads
        self._train_scores = train_scores
        self._leaves_out = leaves_out
        self._whole: tuple[SearchData, FoldRows] | None = None

    def fits(self, data: SearchData) -> bool:
        """Whether the kernel matrix of a search is within the memory.

        Parameters
        ----------
        data : SearchData
            The search, or a part of it.
        """
        if self._subject.transformers is None:
            used = np.unique(np.concatenate([rows for split in data.splits for rows in split]))
            n = len(used)
        else:
            n = max(len(train) + len(test) for train, test in data.splits)
        matrices = MATRICES_EACH if self._leaves_out else 1
        return matrices * 8 * n * n <= self._memory

    def judge(self, positions: NDArray[np.int64], data: SearchData) -> None:
        """Judge candidates until all are, or the watch says stop.

        Parameters
        ----------
        positions : ndarray of int64
            The candidates in the table.
        data : SearchData
            The search, or a part of it.
        """
        self._watch.total += len(positions) * len(data.splits)
        self._in_memory = self.fits(data)
        for params, group in self._grouped(positions):
            for rows, chosen in self._steps(params, group, data):
                linear = all(isinstance(rows.kernels(c.kernel)[0], Linear) for c in group)
                if linear and rows.tall and not self._leaves_out:
                    raise NotShared("single fits of a linear kernel with so many rows are faster")
                for product in self._products(rows, chosen):
                    if self._watch.tick(0):
                        return
                    self._solve(rows, product)

    # ---- Candidates -------------------------------------------------------------------------

    def _grouped(
        self, positions: NDArray[np.int64]
    ) -> Iterator[tuple[dict[str, Any], list[Candidate]]]:
        """Yield the parameters of transformers, and the candidates that have them."""
        groups: dict[Any, tuple[dict[str, Any], list[Candidate]]] = {}
        for position in positions.tolist():
            others, own = self._subject.split(self._table.params[position])
            wrong = self._subject.check(own)
            if wrong:
                self._fail([position], range(self._table.n_splits), ValueError(wrong))
                continue
            key = repr([(name, repr(value)) for name, value in others.items()]) if others else ""
            groups.setdefault(key, (others, []))[1].append(self._candidate(position, own))
        yield from groups.values()

    def _candidate(self, position: int, own: dict[str, Any]) -> Candidate:
        machine = self._subject.machine
        kernel = {n: v for n, v in own.items() if n in KERNEL_NAMES or n.startswith("kernel__")}
        return Candidate(
            position,
            float(own.get("C", machine.C)),
            0.0 if self._subject.classifies else float(own.get("epsilon", machine.epsilon)),
            float(own.get("tol", machine.tol)),
            own.get("class_weight", machine.class_weight) if self._subject.classifies else None,
            kernel,
        )

    def _steps(
        self, params: dict[str, Any], group: list[Candidate], data: SearchData
    ) -> Iterator[tuple[FoldRows, list[Candidate]]]:
        """Yield rows and the candidates to judge on them, in an order that ends early well."""
        # Whoever may stop wants candidates that are complete in all splits.
        chunks = by_kernel(group, FEW_KERNELS) if self._watch.limited else [group]
        if self._subject.transformers is None:
            rows = self._whole_rows(data)
            yield from ((rows, chunk) for chunk in chunks)
            return
        kept: dict[int, FoldRows | None] = {}
        for chunk in chunks:
            for number in range(len(data.splits)):
                if number not in kept:
                    kept[number] = self._transformed(data, params, number, group)
                fold = kept[number] if len(chunks) > 1 else kept.pop(number)
                if fold is not None:
                    yield fold, chunk

    def _whole_rows(self, data: SearchData) -> FoldRows:
        """Return the rows of a search without transformers, which all rounds share."""
        if self._whole is None or self._whole[0] is not data:
            self._whole = data, FoldRows.whole(data, self._subject)
        return self._whole[1]

    def _transformed(
        self, data: SearchData, params: dict[str, Any], number: int, group: list[Candidate]
    ) -> FoldRows | None:
        try:
            return FoldRows.transformed(data, self._subject, params, number)
        except NotShared:
            raise
        except Exception as error:
            self._fail([c.position for c in group], [number], error)
            return None

    # ---- Products ---------------------------------------------------------------------------

    def _products(self, rows: FoldRows, group: Sequence[Candidate]) -> Iterator[Product]:
        """Yield products of classes that are present together, each as large as memory allows."""
        penalties = self._penalties(rows, group)
        for product in products(group, rows.kernels, penalties):
            by_classes: dict[tuple[int, ...], list[int]] = {}
            for v, variant in enumerate(product.variants):
                by_classes.setdefault(tuple(penalties[variant[:2]][1].tolist()), []).append(v)
            for places in by_classes.values():
                for first in range(0, len(places), MOST_SPLITS):
                    yield from self._cut(rows, product, places[first : first + MOST_SPLITS])

    def _cut(self, rows: FoldRows, product: Product, places: list[int]) -> Iterator[Product]:
        """Yield some variants of a product, by as many kernels as their outputs leave room for."""
        variants = [product.variants[v] for v in places]
        width = 1 + max(1, len(rows.parts(self._penalty[variants[0][:2]][1])))
        held = sum(len(self._held(rows.folds[fold])) for fold, *_ in variants)
        each = 8 * width * held * len(product.Cs)
        most = max(1, int(_OUTPUT_SHARE * self._memory / max(each, 1)))
        for first in range(0, len(product.kernels), most):
            kernels = slice(first, first + most)
            yield Product(
                product.kernels[kernels],
                variants,
                product.Cs,
                product.tol,
                product.positions[kernels][:, places],
                product.copies,
            )

    def _penalties(self, rows: FoldRows, group: Sequence[Candidate]) -> dict[Training, Any]:
        """Return what rows count and the classes present, of each fold that can be trained."""
        self._penalty: dict[Training, Any] = {}
        weights = {candidate.weight_key: candidate.class_weight for candidate in group}
        for key, class_weight in weights.items():
            for place, fold in enumerate(rows.folds):
                try:
                    self._penalty[place, key] = rows.penalty(fold, class_weight)
                except ValueError as error:
                    same = [c.position for c in group if c.weight_key == key]
                    self._fail(same, [fold.number], error)
        return self._penalty

    def _held(self, fold: Fold) -> NDArray[np.int64]:
        """Return the rows that are scored."""
        return np.concatenate([fold.test, fold.train]) if self._train_scores else fold.test

    # ---- Solving and scoring ----------------------------------------------------------------

    def _solve(self, rows: FoldRows, product: Product) -> None:
        present = self._penalty[product.variants[0][:2]][1]
        folds = [rows.folds[place] for place, *_ in product.variants]
        grid = PathGrid(
            X=rows.X,
            kernels=product.kernels,
            parts=rows.parts(present),
            penalty=np.stack([self._penalty[variant[:2]][0] for variant in product.variants]),
            test=[self._held(fold) for fold in folds],
            Cs=product.Cs,
            epsilons=np.array([epsilon for *_, epsilon in product.variants]),
            n_classes=len(present) if len(present) > 2 and self._subject.votes else 0,
        )
        engine = solve_paths if self._in_memory else solve_by_rows
        engine = leave_out_paths if self._leaves_out else engine
        with OneBlasThread():
            found = engine(
                grid,
                tol=product.tol,
                memory=self._memory,
                n_threads=self._n_threads,
                progress=lambda done, total: self._watch.tick(
                    product.positions.size * done // total
                ),
            )
        for v, fold in enumerate(folds):
            self._score(rows, fold, product, v, found, present)
        for first, other, place in product.copies:
            self._table.copy(first, other, rows.folds[place].number)
        self._watch.finished(int(np.isfinite(found.violation).sum()) + len(product.copies))
        if found.error is not None:
            self._watch.interrupted(found.error)

    def _score(
        self,
        rows: FoldRows,
        fold: Fold,
        product: Product,
        v: int,
        found: PathOutputs,
        present: NDArray[np.int64],
    ) -> None:
        """Write down what is known of a variant's models."""
        positions, reached = product.positions[:, v], np.isfinite(found.violation[:, v])
        if not reached.any():
            return
        began = time.perf_counter()
        sides = {"test": slice(0, len(fold.test))}
        if self._train_scores:
            sides["train"] = slice(len(fold.test), None)
        places = rows.places[self._held(fold)]
        codes = None if found.codes is None else found.codes[v]
        for side, part in sides.items():
            scores = self._scoring.scores(
                places[part],
                found.outputs[v][:, :, part],
                None if codes is None else codes[:, :, part],
                present,
            )
            for name, values in scores.items():
                self._put(f"{side}_{name}", positions, fold, values, reached)
        seconds = (time.perf_counter() - began) / reached.sum()
        fit = found.seconds[:, v] + rows.seconds / positions.size
        self._put("score_time", positions, fold, np.full(positions.shape, seconds), reached)
        self._put("fit_time", positions, fold, fit, reached)
        self._put("violation", positions, fold, found.violation[:, v], reached)
        self._put("n_support", positions, fold, found.n_support[:, v], reached)
        for name, values in found.more.items():
            self._put(name, positions, fold, values[:, v], reached)

    def _put(self, name: str, positions: Any, fold: Fold, values: Any, reached: Any) -> None:
        self._table.put(name, positions[reached], fold.number, values[reached])

    def _fail(self, positions: Sequence[int], splits: Sequence[int], error: Exception) -> None:
        for position in positions:
            for split in splits:
                self._table.errors[position, split] = error
        self._watch.done += len(positions) * len(splits)


def _check_leaves_out(subject: Subject, data: SearchData) -> None:
    """Refuse what the span rule is not for."""
    if subject.transformers is not None:
        raise NotShared("the other steps of the pipeline would have seen the row")
    if data.names is None or len(data.names) != 2:
        raise NotShared("it is for two classes")


def by_kernel(group: list[Candidate], size: int) -> list[list[Candidate]]:
    """Cut candidates into those of a few kernels each.

    Parameters
    ----------
    group : list of Candidate
        With the same transformers.
    size : int
        How many kernels.

    Examples
    --------
    >>> cells = [Candidate(k, 1.0, 0.0, 1e-3, None, {"gamma": k % 2}) for k in range(4)]
    >>> [[cell.position for cell in part] for part in by_kernel(cells, 1)]
    [[0, 2], [1, 3]]
    """
    kernels: dict[str, list[Candidate]] = {}
    for candidate in group:
        kernels.setdefault(repr(candidate.kernel), []).append(candidate)
    lists = list(kernels.values())
    return [list(chain(*lists[k : k + size])) for k in range(0, len(lists), size)]
