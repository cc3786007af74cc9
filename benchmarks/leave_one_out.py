"""Leave-one-out from one fit beside n fits: python -m benchmarks.leave_one_out"""

import os
from pathlib import Path
from time import perf_counter

import numpy as np

from benchmarks.linear import Row, load
from maxmargin import SVC
from maxmargin.selection import leave_one_out

CASES = (
    ("german_numer_scale", {"C": 1.0, "gamma": 2.0**-5}),
    ("splice", {"C": 8.0, "gamma": 2.0**-6}),
    ("heart_scale", {"C": 100.0, "gamma": 2.0**-4}),
)


def by_fits(X, y, parameters):
    """Decision values of each row by a fit without it."""
    values = np.empty(len(y))
    for i in range(len(y)):
        rest = np.arange(len(y)) != i
        model = SVC(**parameters, tol=1e-9, n_jobs=1).fit(X[rest], y[rest])
        values[i] = model.decision_function(X[i : i + 1])[0]
    return values


def timed(call):
    start = perf_counter()
    return call(), perf_counter() - start


def main() -> None:
    if "MAXMARGIN_DATA" not in os.environ or not Path(os.environ["MAXMARGIN_DATA"]).is_dir():
        raise SystemExit("MAXMARGIN_DATA must be the folder of the data sets.")
    for name, parameters in CASES:
        X, y = load(Row(name, "", name))
        model = SVC(**parameters, n_jobs=1).fit(X, y)
        rule, rule_seconds = timed(lambda: leave_one_out(model, X, y))  # noqa: B023
        refit, refit_seconds = timed(lambda: leave_one_out(model, X, y, refit="changed"))  # noqa: B023
        exact, seconds = timed(lambda: by_fits(X, y, parameters))  # noqa: B023
        errors = int(((2 * y - 1) * exact <= 0).sum())
        print(
            f"{name}: {rule.n_changed} of {len(y)} rows change sets; errors by the rule "
            f"{rule.errors} {rule.error_bounds}, refitted {refit.errors}, by n fits {errors}; "
            f"largest difference: exact {np.abs(rule.decision - exact)[rule.exact].max():.0e}, "
            f"refitted {np.abs(refit.decision - exact).max():.0e}; "
            f"seconds {rule_seconds:.2f}, {refit_seconds:.2f}, {seconds:.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
