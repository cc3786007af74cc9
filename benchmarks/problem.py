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
    y: NDArray[Any]  # SVC: classes 0, 1, ...; SVR: float64; OneClassSVM: 1, and -1 for the rare
    X_test: Any
    y_test: NDArray[Any]
    C: float
    gamma: float
    tol: float
    machine: str = "SVC"
    epsilon: float = 0.0
    nu: float = 0.5

    @property
    def n_classes(self) -> int:
        return int(self.y.max()) + 1 if self.machine == "SVC" else 1

    @property
    def parameters(self) -> dict[str, float]:
        """What the machine is set to, in scikit-learn's names."""
        own = {
            "SVC": {"C": self.C},
            "SVR": {"C": self.C, "epsilon": self.epsilon},
            "OneClassSVM": {"nu": self.nu},
        }[self.machine]
        return {**own, "gamma": self.gamma, "tol": self.tol}

    @property
    def megabytes(self) -> float:
        """What one float32 copy of the training rows takes."""
        parts = [self.X] if not sparse.issparse(self.X) else [self.X.data, self.X.indices]
        return sum(part.nbytes for part in parts) / 2**20

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
            names = ("C", "gamma", "tol", "epsilon", "nu")
            numbers = {name: float(file[name]) for name in names}
            return cls(
                X=_rows(file, "X"),
                y=file["y"],
                X_test=_rows(file, "X_test"),
                y_test=file["y_test"],
                machine=str(file["machine"]),
                **numbers,
            )


def _rows(file, name):
    if name in file:
        return file[name]
    data, indices, indptr, shape = (
        file[f"{name}.{part}"] for part in ("data", "indices", "indptr", "shape")
    )
    return sparse.csr_matrix((data, indices, indptr), tuple(shape))
