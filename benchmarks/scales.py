"""A fuzz of scales: does any fit crawl? python -m benchmarks.scales

Seeded random problems of 200 to 5,000 rows whose columns have deviations from 1e-3 to 1e3, with C
from 1 to 1e6 and a linear, polynomial (degree 2 to 5) or RBF kernel, each fitted by `SVC` with one
thread in a process of its own, which is ended after `--limit` seconds of processor time. The
slowest are printed with the processor time of scikit-learn's SVC, which has as long. The exit
status is 1 if a fit of ours has taken longer than `BAR` seconds.
"""

import argparse
import multiprocessing
import resource
import sys
import warnings
from dataclasses import dataclass
from multiprocessing.connection import Connection
from time import process_time
from typing import Any

import numpy as np
from sklearn import svm

from maxmargin import SVC

#: Seconds of processor time that no fit may take.
BAR = 20.0
KERNELS = ("linear", "poly", "rbf")


@dataclass(frozen=True)
class Problem:
    """One of the fuzz, all of it made from its number."""

    seed: int
    n: int
    d: int
    C: float
    kernel: str
    degree: int

    @classmethod
    def of(cls, seed: int) -> "Problem":
        rng = np.random.default_rng([seed, 0])
        n, d = 10 ** rng.uniform(np.log10([200, 2]), np.log10([5000, 100]))
        C, kernel = 10 ** rng.uniform(0, 6), KERNELS[rng.integers(len(KERNELS))]
        return cls(seed, int(n), int(d), float(C), str(kernel), int(rng.integers(2, 6)))

    @property
    def data(self) -> tuple[np.ndarray, np.ndarray]:
        """Columns of any scale, and labels by a curved boundary of which some are wrong."""
        rng = np.random.default_rng([self.seed, 1])
        X = rng.normal(size=(self.n, self.d))
        scores = X @ rng.normal(size=self.d) + rng.uniform(0, 2) * X[:, 0] * X[:, -1]
        y = (scores > np.median(scores)) ^ (rng.random(self.n) < rng.choice([0.0, 0.02, 0.2]))
        return X * 10 ** rng.uniform(-3, 3, self.d), y.astype(int)

    @property
    def parameters(self) -> dict[str, Any]:
        poly = {"degree": self.degree, "coef0": 1.0} if self.kernel == "poly" else {}
        return {"kernel": self.kernel, "C": self.C, **poly}

    def __str__(self) -> str:
        kernel = f"{self.kernel}{self.degree}" if self.kernel == "poly" else self.kernel
        return f"{self.seed:>4}  {self.n:>5} x {self.d:<3} {kernel:7} C={self.C:<8.2g}"


def fit(ours: bool, problem: Problem, limit: int, answer: Connection) -> None:
    """Send the processor time of a fit, and how it has ended."""
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
    warnings.simplefilter("ignore")
    X, y = problem.data
    own = {"n_jobs": 1} if ours else {"cache_size": 2000}
    model = (SVC if ours else svm.SVC)(**problem.parameters, **own)
    start = process_time()
    model.fit(X, y)
    seconds = process_time() - start
    answer.send((seconds, model.status_.name if ours else ""))


def timed(ours: bool, problem: Problem, limit: int) -> tuple[float, str]:
    """Return what `fit` sends, infinite where it has not ended."""
    here, there = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.Process(target=fit, args=(ours, problem, limit, there), daemon=True)
    process.start()
    there.close()
    try:
        found = here.recv()
    except EOFError:
        found = (np.inf, "not ended")
    process.join()
    return found


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scales", description=__doc__)
    add = parser.add_argument
    add("--first", type=int, default=0, help="number of the first problem (%(default)s)")
    add("--problems", type=int, default=100, help="how many (%(default)s)")
    add("--limit", type=int, default=60, help="seconds for a fit (%(default)s)")
    add("--slowest", type=int, default=10, help="how many are printed (%(default)s)")
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    options = parse(arguments)
    found = []
    for seed in range(options.first, options.first + options.problems):
        problem = Problem.of(seed)
        found.append((*timed(True, problem, options.limit), problem))
        print(f"{problem} {found[-1][0]:8.2f} s {found[-1][1]}", file=sys.stderr, flush=True)
    found.sort(key=lambda each: -each[0])
    for seconds, status, problem in found[: options.slowest]:
        other = timed(False, problem, options.limit)[0]
        print(f"{problem} {seconds:8.2f} s {status:10} scikit-learn {other:8.2f} s", flush=True)
    total = sum(seconds for seconds, *_ in found)
    print(f"{len(found)} problems, {total:.1f} s in all, the slowest {found[0][0]:.1f} s.")
    return int(found[0][0] > BAR)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
