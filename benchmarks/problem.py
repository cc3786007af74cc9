"""What all contestants of a row are given: the same bytes, handed over in a file."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse


@dataclass(frozen=True, eq=False)
class Problem:
    X: Any  # float32, dense or CSR
    y: NDArray[np.int64]  # classes 0, 1, ...
    X_test: Any
    y_test: NDArray[np.int64]
    C: float
    gamma: float
    tol: float

    @property
    def n_classes(self) -> int:
        return int(self.y.max()) + 1

    def save(self, path: Path) -> None:
        fields = {}
        for name, value in asdict(self).items():
            if sparse.issparse(value):
                for part in ("data", "indices", "indptr", "shape"):
                    fields[f"{name}.{part}"] = getattr(value, part)
            else:
                fields[name] = value
        np.savez(path, **fields)

    @classmethod
    def load(cls, path: Path) -> Self:
        with np.load(path) as file:
            numbers = {name: float(file[name]) for name in ("C", "gamma", "tol")}
            return cls(
                X=_rows(file, "X"),
                y=file["y"],
                X_test=_rows(file, "X_test"),
                y_test=file["y_test"],
                **numbers,
            )


def _rows(file, name):
    if name in file:
        return file[name]
    data, indices, indptr, shape = (
        file[f"{name}.{part}"] for part in ("data", "indices", "indptr", "shape")
    )
    return sparse.csr_matrix((data, indices, indptr), tuple(shape))
