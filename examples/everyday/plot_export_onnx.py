"""
A model that leaves Python, checked row by row
==============================================

A pipeline is written as a graph of ONNX, which runs wherever ONNX Runtime does: in a browser, on a telephone, in a service without Python. An export is
worth as much as its check, so every held-out row goes through both.
"""

import tempfile
from pathlib import Path

import numpy as np
import onnxruntime
from matplotlib import pyplot
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC
from maxmargin.export import to_onnx
from maxmargin.plots.style import color_of

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
machine = SVC(C=10.0, gamma=0.01, multi_class="ovr")
model = make_pipeline(StandardScaler(), machine).fit(X_train, y_train)

# %%
# The graph holds the scaler, the support vectors and the choice of the class, all in float32. The report says how large it is.

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "digits.onnx"
    report = to_onnx(model, path, dtype="float32")
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
[source] = session.get_inputs()
label, decision = session.run(["label", "decision"], {source.name: X_test.astype(np.float32)})
print(f"{report.file_bytes // 1024} kB, {report.n_vectors} vectors")

# %%
# What float32 changes in a row's decision values, beside how far its class leads. A label could only change where a mark lies above the dashed line.

# Alt: A logarithmic plane with one dot per row: the largest difference of its decision values over the lead of its class. All dots lie in a flat band
# around a millionth, far below the dashed line where the difference would be half the lead.
values = model.decision_function(X_test)
second, first = np.sort(values, axis=1)[:, -2:].T
lead, difference = first - second, np.abs(decision - values).max(axis=1)
figure, axes = pyplot.subplots(figsize=(6, 4), layout="constrained")
axes.loglog(
    lead, difference, "o", color=color_of(0), ms=4, mec="white", mew=0.4, label="a held-out row"
)
ends = np.array([lead.min(), lead.max()])
axes.loglog(ends, ends / 2, color=color_of(1), ls="--", label="labels could differ above")
axes.set(xlabel="lead of the class over the next", ylabel="difference of decision values")
axes.legend(loc="center left")

# %%
same = np.mean(label == model.predict(X_test))
print(
    f"the same label for {same:.0%} of {len(y_test)} rows; decision values differ by at most {difference.max():.0e}"
)
assert same == 1.0
assert np.all(difference < lead / 2)
