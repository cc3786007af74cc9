"""What limits a fit next: the part of maxmargin's time that is largest, from its fit_report_."""

from typing import Any

PARTS = {
    "kernel_seconds": "kernel entries",
    "gradient_seconds": "cache reads",
    "pair_seconds": "pair steps",
    "newton_seconds": "Newton steps",
    "certificate_seconds": "certificate",
}
#: Choosing working sets, watching the course, and all that is outside of the solver.
REST = "overhead"


def shares(report: dict[str, Any], fit: float) -> dict[str, float]:
    """Shares of a fit's time, largest first; `fit` is the time of the whole call.

    Where problems are solved side by side their seconds may add up to more than that.
    """
    seconds = {name: report[key] for key, name in PARTS.items()}
    whole = max(fit, report["problem_seconds"], sum(seconds.values()))
    seconds[REST] = whole - sum(seconds.values())
    order = sorted(seconds, key=lambda name: -seconds[name])
    return {name: seconds[name] / whole for name in order}


def limit(report: dict[str, Any], fit: float) -> str:
    """The largest part and its share."""
    name, share = next(iter(shares(report, fit).items()))
    return f"{name} {share:.0%}"


def explain(report: dict[str, Any], fit: float) -> str:
    """All parts above a hundredth, and how near the fit came to the machine's peak."""
    parts = ", ".join(f"{name} {s:.0%}" for name, s in shares(report, fit).items() if s >= 0.01)
    roofline = report["roofline"]
    return parts if roofline is None else f"{parts}; {roofline:.0%} of the roofline"
