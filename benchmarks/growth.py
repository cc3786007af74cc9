"""How fits grow with the rows, exact and to a proven gap: python -m benchmarks.growth.

Processor time of one thread on the first rows of a permutation of covtype (in the folder
MAXMARGIN_DATA), standardised, one class against the others, RBF with gamma = 0.1 and C = 10: more
than a third of the rows are support vectors.

    kernel rows  that a fit computed, for each support vector
    proof        the certificate's share of the time
    values       kernel values, as a share of those of the exact fit
"""

import argparse
import sys
from math import inf
from time import process_time

from benchmarks.suite import Row, load
from maxmargin import SVC
from maxmargin.cli.terminal import Terminal

#: What is asked for: nothing but the gap; or a violation of 1e-3.
ASKED = {"exact": {}, "1 %": {"tol": inf, "tol_gap": 0.01}, "10 %": {"tol": inf, "tol_gap": 0.1}}
HEADER = ("rows", "asked", "seconds", "gap", "kernel rows", "proof", "values")


def main(arguments: list[str]) -> int:
    """Print a table as it is made."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__)
    parser.add_argument("--rows", default="10000,20000,40000", help="with commas (%(default)s)")
    parser.add_argument("--asked", default=",".join(ASKED), help="with commas (%(default)s)")
    options = parser.parse_args(arguments)
    terminal = Terminal.of(sys.stdout)
    terminal.line("".join(f"{name:>13}" for name in HEADER))
    for n in map(int, options.rows.split(",")):
        for cells in fits(n, options.asked.split(",")):
            terminal.line("".join(f"{cell:>13}" for cell in cells))
    return 0


def fits(n: int, asked: list[str]):
    """Rows of the table for so many rows of data."""
    data = load(Row("covtype", "covtype", gamma=0.1, C=10, n=n, scaling="std"))
    most = None
    for name in asked:
        start = process_time()
        model = SVC(C=data.C, gamma=data.gamma, n_jobs=1, **ASKED[name]).fit(data.X, data.y)
        seconds, report = process_time() - start, model.fit_report_
        most = most or report["kernel_entries"]
        yield (
            f"{n:,}",
            name,
            f"{seconds:.1f}",
            f"{model.certificate_.gap:.1e}",
            f"{report['kernel_rows'] / len(model.support_):.1f}",
            f"{report['certificate_share']:.0%}",
            f"{report['kernel_entries'] / most:.0%}",
        )


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
