"""Types of the compiled core (cpp/bindings/module.cpp)."""

import enum
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

version: str

class KernelKind(enum.Enum):
    linear = ...
    polynomial = ...
    gaussian = ...
    sigmoid = ...

class Status(enum.Enum):
    optimal = ...
    precision = ...
    max_iterations = ...
    stopped = ...

class Kernel:
    def __init__(
        self, kind: KernelKind, gamma: float = 1.0, coef0: float = 0.0, degree: int = 3
    ) -> None: ...

class Data:
    @staticmethod
    def dense(array: NDArray[np.floating]) -> Data: ...
    @staticmethod
    def sparse(
        values: NDArray[np.floating],
        places: NDArray[np.integer],
        starts: NDArray[np.integer],
        columns: int,
    ) -> Data: ...
    @staticmethod
    def precomputed(matrix: NDArray[np.float64]) -> Data: ...
    @property
    def rows(self) -> int: ...

class Certificate:
    @property
    def primal(self) -> float: ...
    @property
    def dual(self) -> float: ...
    @property
    def gap(self) -> float: ...
    @property
    def violation(self) -> float: ...
    @property
    def bound(self) -> float: ...
    @property
    def intercept(self) -> float: ...

class Solution:
    @property
    def b(self) -> NDArray[np.float64]: ...
    @property
    def certificate(self) -> Certificate: ...
    @property
    def status(self) -> Status: ...
    @property
    def steps(self) -> int: ...
    @property
    def newton_steps(self) -> int: ...
    @property
    def rows_computed(self) -> int: ...
    @property
    def seconds(self) -> float: ...
    @property
    def certificate_seconds(self) -> float: ...
    @property
    def trace(self) -> NDArray[np.float64]: ...

def solve(
    data: Data,
    kernel: Kernel,
    index: NDArray[np.int64],
    target: NDArray[np.float64],
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
    epsilon: float,
    total: float,
    start: NDArray[np.float64] | None,
    tol: float,
    max_steps: int,
    cache_bytes: int,
    threads: int,
    hook: Callable[..., bool] | None,
) -> tuple[Solution, BaseException | None]: ...
def certify(
    data: Data,
    kernel: Kernel,
    index: NDArray[np.int64],
    target: NDArray[np.float64],
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
    epsilon: float,
    total: float,
    b: NDArray[np.float64],
    threads: int,
) -> Certificate: ...
def expand(
    kernel: Kernel,
    centres: Data,
    which: NDArray[np.int64],
    weights: NDArray[np.float64],
    points: Data,
    threads: int,
) -> NDArray[np.float64]: ...
def parse_libsvm(
    text: bytes, threads: int
) -> tuple[
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.int32],
    NDArray[np.int64],
    NDArray[np.int64],
    int,
    tuple[int, int, str] | None,
]: ...
def format_libsvm(
    labels: NDArray[np.float64],
    values: NDArray[np.float64],
    places: NDArray[np.int32],
    starts: NDArray[np.int64],
    queries: NDArray[np.int64],
    base: int,
) -> bytes: ...
def usable_cores() -> int: ...
def instruction_set() -> str: ...
