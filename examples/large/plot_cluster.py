"""
Fit rows that are spread over a cluster
=======================================

Rows in files on the workers of a Dask cluster are fitted where they are: each pass of Newton's method is a sum over workers, and the answer is the one of a
single machine. What moves between workers and client does not grow with the rows.
"""

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from distributed import Client
from matplotlib import pyplot

import maxmargin
from maxmargin.distributed import LinearSVC, read
from maxmargin.plots.style import color_of

# %%
# Two workers, as threads of this process: ``Client("tcp://...")`` would be a cluster elsewhere, and nothing else would change.

client = Client(processes=False, n_workers=2, threads_per_worker=1, dashboard_address=":0")

# %%
# Parts of a table as Parquet files, as programs leave them in a folder. One label in ten is wrong.

folder = tempfile.TemporaryDirectory()
d = 20
direction = np.random.default_rng(0).normal(size=d)


def write(n_files, rows_each):
    """Write the files of a folder."""
    place = Path(folder.name) / f"{n_files * rows_each}"
    place.mkdir()
    for k in range(n_files):
        rng = np.random.default_rng(k)
        rows = rng.normal(size=(rows_each, d))
        sign = np.sign(rows @ direction) * rng.choice([1, -1], rows_each, p=[0.9, 0.1])
        table = pd.DataFrame(rows, columns=[f"x{j}" for j in range(d)])
        table.assign(label=sign.astype(int)).to_parquet(place / f"part-{k}.parquet", index=False)
    return str(place)


# %%
# The same fit of 2,000 to 32,000 rows.

sizes, moved, models = [2_000, 8_000, 32_000], [], []
for n in sizes:
    X, y, _ = read(write(4, n // 4), target="label")
    models.append(LinearSVC(C=1000 / n).fit(X, y))
    report = models[-1].fit_report_["cluster"]
    moved.append(report["bytes_moved"] / report["rounds"])
    print(f"{n} rows: {report['rounds']} rounds, {report['bytes_moved'] / 1e3:.0f} kB moved")

# %%
# One machine that has all rows finds the same.

alone = maxmargin.LinearSVC(C=1000 / sizes[-1]).fit(X.compute(), y.compute())
primal, other = models[-1].certificate_.primal, alone.certificate_.primal
print(f"objective {primal:.6f} on the cluster, {other:.6f} on one machine")

# Alt: Kilobytes moved in each round over the number of rows, on logarithmic axes. The points on the
# lower line, for what moves, stay level, while the upper line, for the size of the rows, climbs.
figure, ax = pyplot.subplots(figsize=(6, 3.6), layout="constrained")
ax.loglog(sizes, np.array(sizes) * d * 8 / 1e3, "--", color=color_of(1), label="all rows")
ax.loglog(sizes, np.array(moved) / 1e3, "o-", color=color_of(0), label="moved in a round")
ax.set(xlabel="rows", ylabel="kilobytes", title="What moves does not grow with the rows")
ax.legend()

client.close()
folder.cleanup()
assert all(model.status_.name == "OPTIMAL" for model in models)
assert abs(primal - other) <= 1e-4 * other
assert max(moved) < 2 * min(moved)
