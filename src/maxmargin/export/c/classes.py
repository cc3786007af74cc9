"""From outputs to classes in C: votes, ties and zeros as `maxmargin.models.Classes` has them."""

from __future__ import annotations

import numpy as np

from maxmargin.export.c.literals import Tables
from maxmargin.models import Classes


def winner_code(classes: Classes, tables: Tables, *, break_ties: bool) -> str:
    """Write `static int winner(const real *f)`: the number of the class.

    Parameters
    ----------
    classes : Classes
        What the outputs speak for.
    tables : Tables
        Where tables go.
    break_ties : bool
        Whether the highest score wins, instead of the first class with most votes.

    Examples
    --------
    >>> print(winner_code(Classes(np.arange(2)), Tables(np.dtype(float)), break_ties=False))
    static int winner(const real *f) { return f[0] >= -0.0 ? 1 : 0; }
    """
    if len(classes.names) == 2:
        edge = tables.number(classes.rounding)
        test = f"f[0] >= -{edge}" if classes.zero else f"f[0] > {edge}"
        return f"static int winner(const real *f) {{ return {test} ? 1 : 0; }}\n"
    if classes.scheme == "ovr":
        return "static int winner(const real *f) {\n" + _highest("f") + "}\n"
    if break_ties:
        count = "    real total[N_CLASSES];\n    scores(f, total);\n"
    else:
        count = _votes(classes, tables)
    listed = "c"
    if classes.precedence is not None:
        tables.add_places("precedence", classes.precedence)
        listed = "precedence[c]"
    return f"static int winner(const real *f) {{\n{count}{_highest('total', listed)}}}\n"


def _highest(values: str, place: str = "c") -> str:
    """Return the first of the highest, in the order of the classes or another."""
    first = "0" if place == "c" else "precedence[0]"
    return (
        f"    int c, best = {first};\n"
        "    for (c = 1; c < N_CLASSES; ++c) {\n"
        f"        if ({values}[{place}] > {values}[best]) best = {place};\n"
        "    }\n    return best;\n"
    )


def _votes(classes: Classes, tables: Tables) -> str:
    test = "f[pair] > 0"
    if classes.precedence is not None:
        place = np.argsort(classes.precedence)
        tables.add_places("place", place)
        test += " || (f[pair] == 0 && place[s] > place[t])"
    return (
        "    int total[N_CLASSES] = {0};\n    int s, t, pair = 0;\n"
        "    for (s = 0; s < N_CLASSES; ++s) {\n"
        "        for (t = s + 1; t < N_CLASSES; ++t, ++pair) {\n"
        f"            if ({test}) {{\n                ++total[s];\n"
        "            } else {\n                ++total[t];\n            }\n        }\n    }\n"
    )


def scores_code(suffix: str) -> str:
    """Write `static void scores(const real *f, real *total)`: votes, with sums breaking ties.

    Parameters
    ----------
    suffix : str
        What the mathematical functions of the precision end with.
    """
    return f"""\
static void scores(const real *f, real *total) {{
    real sum[N_CLASSES] = {{0}};
    int s, t, pair = 0;
    for (s = 0; s < N_CLASSES; ++s) total[s] = 0;
    for (s = 0; s < N_CLASSES; ++s) {{
        for (t = s + 1; t < N_CLASSES; ++t, ++pair) {{
            total[f[pair] >= 0 ? s : t] += 1;
            sum[s] += f[pair];
            sum[t] -= f[pair];
        }}
    }}
    for (s = 0; s < N_CLASSES; ++s) total[s] += sum[s] / (3 * (fabs{suffix}(sum[s]) + 1));
}}
"""
