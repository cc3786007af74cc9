"""From outputs to probabilities in C: `maxmargin.models.calibration`, statement by statement."""

from __future__ import annotations

import numpy as np

from maxmargin.export.c.literals import Tables
from maxmargin.models import Calibration, Sigmoids, Softmax, VennAbers

_SOFTMAX = """\
static void estimate(const real *f, real *p) {
    real largest, sum = 0;
    int c;
    %BEGIN%
    largest = p[0];
    for (c = 1; c < N_CLASSES; ++c) {
        if (p[c] > largest) largest = p[c];
    }
    for (c = 0; c < N_CLASSES; ++c) {
        p[c] = %EXP%(p[c] - largest);
        sum += p[c];
    }
    for (c = 0; c < N_CLASSES; ++c) p[c] /= sum;
}
"""
#: (Q + 11') p = 1 up to a factor, of r_st = P(s | s or t): Q_ss = sum_t r_ts^2, Q_st = -r_ts r_st.
#: It is positive definite, so that elimination needs no pivots.
_COUPLING = """\
static void estimate(const real *f, real *p) {
    real system[N_CLASSES][N_CLASSES], sum = 0;
    int s, t, u, pair = 0;
    for (s = 0; s < N_CLASSES; ++s) {
        system[s][s] = 1;
        p[s] = 1;
    }
    for (s = 0; s < N_CLASSES; ++s) {
        for (t = s + 1; t < N_CLASSES; ++t, ++pair) {
            real r = 1 / (1 + %EXP%(slope[pair] * f[pair] + offset[pair]));
            r = r < %LEAST% ? %LEAST% : r > 1 - %LEAST% ? 1 - %LEAST% : r;
            system[s][s] += (1 - r) * (1 - r);
            system[t][t] += r * r;
            system[s][t] = system[t][s] = 1 - r * (1 - r);
        }
    }
    for (s = 0; s < N_CLASSES; ++s) {
        for (t = s + 1; t < N_CLASSES; ++t) {
            const real factor = system[t][s] / system[s][s];
            for (u = s; u < N_CLASSES; ++u) system[t][u] -= factor * system[s][u];
            p[t] -= factor * p[s];
        }
    }
    for (s = N_CLASSES - 1; s >= 0; --s) {
        for (t = s + 1; t < N_CLASSES; ++t) p[s] -= system[s][t] * p[t];
        p[s] /= system[s][s];
    }
    for (s = 0; s < N_CLASSES; ++s) {
        if (p[s] < 0) p[s] = 0;
        sum += p[s];
    }
    for (s = 0; s < N_CLASSES; ++s) p[s] /= sum;
}
"""
_VENN_ABERS = """\
static void estimate(const real *f, real *p) {
    long begin = 0, end = %COUNT%, place;
    real low, high;
    while (begin < end) {
        const long middle = begin + (end - begin) / 2;
        if (score[middle] < f[0]) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    place = 2 * begin + (begin < %COUNT% && score[begin] == f[0] ? 1 : 0);
    low = lower[place];
    high = upper[place];
    p[1] = high / (1 - low + high);
    p[0] = 1 - p[1];
}
"""
#: Where a class is not on top, it and those above it get their common mean.
_TOWARDS = """\
static void towards(real *p, int winner) {
    real others[N_CLASSES], mean = p[winner], sum = p[winner];
    int c, i, n = 0;
    for (c = 0; c < N_CLASSES; ++c) {
        if (c == winner) continue;
        for (i = n++; i > 0 && others[i - 1] < p[c]; --i) others[i] = others[i - 1];
        others[i] = p[c];
    }
    if (others[0] <= %BELOW% * p[winner]) return;
    for (i = 0; i < n && others[i] > %BELOW% * mean; ++i) {
        sum += others[i];
        mean = (i + 1 == n ? 1 : sum) / (real)(i + 2);
    }
    for (c = 0; c < N_CLASSES; ++c) {
        if (p[c] > (1 - %APART%) * mean) p[c] = (1 - %APART%) * mean;
    }
    p[winner] = (1 + %APART%) * mean;
}
"""


def probability_code(calibration: Calibration, n_classes: int, tables: Tables, suffix: str) -> str:
    """Write `static void estimate(const real *f, real *p)` and `static void towards(...)`.

    Parameters
    ----------
    calibration : Sigmoids, Softmax or VennAbers
        How outputs become probabilities.
    n_classes : int
        Number of classes.
    tables : Tables
        Where tables go.
    suffix : str
        What the mathematical functions of the precision end with.
    """
    if isinstance(calibration, VennAbers):
        for name, values in (
            ("score", calibration.scores),
            ("lower", calibration.low),
            ("upper", calibration.high),
        ):
            tables.add(name, values)
        text = _VENN_ABERS.replace("%COUNT%", str(len(calibration.scores)))
    else:
        tables.add("slope", calibration.slopes)
        tables.add("offset", calibration.offsets)
        text = _exponential(calibration, n_classes).replace("%EXP%", f"exp{suffix}")
    apart = 18 * float(np.finfo(tables.dtype).eps)
    numbers = {"%LEAST%": 1e-7, "%APART%": apart, "%BELOW%": (1 - apart) / (1 + apart)}
    text += _TOWARDS
    for mark, value in numbers.items():
        text = text.replace(mark, tables.number(value))
    return text


def _exponential(calibration: Sigmoids | Softmax, n_classes: int) -> str:
    if isinstance(calibration, Softmax):
        begin = "for (c = 0; c < N_CLASSES; ++c) p[c] = slope[c] * f[c] + offset[c];"
        return _SOFTMAX.replace("%BEGIN%", begin)
    if n_classes == 2:
        return _SOFTMAX.replace("%BEGIN%", "p[0] = slope[0] * f[0] + offset[0];\n    p[1] = 0;")
    return _COUPLING
