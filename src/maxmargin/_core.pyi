"""Types of the compiled core (cpp/bindings/module.cpp)."""

import enum
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

version: str

class KernelKind(enum.Enum):
    linear = ...
    polynomial = ...
    gaussian = ...
    sigmoid = ...
    laplacian = ...
    chi2 = ...
    cosine = ...
    matern12 = ...
    matern32 = ...
    matern52 = ...
    sum = ...
    product = ...

class Kernel:
    def __init__(
        self,
        kind: KernelKind,
        gamma: float = 1.0,
        coef0: float = 0.0,
        degree: int = 3,
        parts: Sequence[Kernel] = ...,
    ) -> None: ...
    def scaled(self, weight: float) -> Kernel: ...
    def on(self, columns: Sequence[int]) -> Kernel: ...

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
    def chunked(
        starts: NDArray[np.int64], columns: int, sparse: bool, source: Callable[[int], Data]
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
    def convex(self) -> bool: ...
    @property
    def intercepts(self) -> tuple[float, float]: ...

class Problems:
    def __init__(
        self,
        data: Data,
        kernel: Kernel,
        index: NDArray[np.int64],
        starts: NDArray[np.int64],
        target: NDArray[np.float64],
        lower: NDArray[np.float64],
        upper: NDArray[np.float64],
        epsilon: float,
        total: NDArray[np.float64],
        group: NDArray[np.uint8] | None,
        ridge: NDArray[np.float64] | None,
    ) -> None: ...

class Solutions:
    @property
    def b(self) -> NDArray[np.float64]: ...
    @property
    def counts(self) -> NDArray[np.int64]: ...
    @property
    def amounts(self) -> NDArray[np.float64]: ...
    @property
    def certificates(self) -> list[Certificate]: ...
    @property
    def trace(self) -> tuple[NDArray[np.float64], list[int]]: ...

class StreamLoss(enum.Enum):
    hinge = ...
    squared_hinge = ...
    logistic = ...
    perceptron = ...
    epsilon_insensitive = ...
    squared_epsilon_insensitive = ...
    huber = ...

class Plan:
    def __init__(
        self,
        loss: StreamLoss,
        width: float,
        alpha: float,
        eta0: float,
        decay: float,
        gentle: bool,
        radius: float,
        average: bool,
        start: float,
        forget: float,
        intercept: bool,
        penalise_intercept: bool,
        intercept_rate: float,
        batch: int,
    ) -> None: ...

class Descent:
    steps: int

    @staticmethod
    def over(data: Data, plan: Plan, outputs: int, threads: int) -> Descent: ...
    @property
    def updates(self) -> NDArray[np.int64]: ...
    @property
    def penalties(self) -> NDArray[np.float64]: ...
    def run(
        self,
        data: Data,
        y: NDArray[np.float64],
        weight: NDArray[np.float64],
        order: NDArray[np.int64],
        threads: int,
        hook: Callable[..., bool] | None,
    ) -> BaseException | None: ...
    def losses(
        self,
        data: Data,
        y: NDArray[np.float64],
        weight: NDArray[np.float64],
        rows: NDArray[np.int64],
        threads: int,
    ) -> NDArray[np.float64]: ...
    def set(
        self, mean: bool, weights: NDArray[np.float64], intercepts: NDArray[np.float64]
    ) -> None: ...
    def weights(self, mean: bool) -> NDArray[np.float64]: ...
    def intercepts(self, mean: bool) -> NDArray[np.float64]: ...

class LossKind(enum.Enum):
    tube = ...
    logistic = ...

class LinearMethod(enum.Enum):
    newton = ...
    newton_cg = ...
    descent = ...

class LinearStatus(enum.Enum):
    optimal = ...
    precision = ...
    max_iterations = ...
    stopped = ...

class LinearProblem:
    def __init__(
        self,
        data: Data,
        index: NDArray[np.int64],
        kind: LossKind,
        target: NDArray[np.float64],
        lower: NDArray[np.float64],
        upper: NDArray[np.float64],
        ridge: NDArray[np.float64] | None,
        epsilon: float,
        intercept: bool,
        penalty: float,
        scale: float,
    ) -> None: ...

class LinearCertificate:
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

class LinearSolution:
    @property
    def w(self) -> NDArray[np.float64]: ...
    @property
    def b(self) -> NDArray[np.float64]: ...
    @property
    def intercept(self) -> float: ...
    @property
    def dual_intercept(self) -> float: ...
    @property
    def certificate(self) -> LinearCertificate: ...
    @property
    def status(self) -> LinearStatus: ...
    @property
    def steps(self) -> int: ...
    @property
    def newton_steps(self) -> int: ...
    @property
    def seconds(self) -> float: ...
    @property
    def certificate_seconds(self) -> float: ...
    @property
    def trace(self) -> NDArray[np.float64]: ...

def solve_linear(
    problem: LinearProblem,
    method: LinearMethod,
    tol: float,
    violation: float,
    max_steps: int,
    threads: int,
    hook: Callable[..., bool] | None,
) -> tuple[LinearSolution, BaseException | None]: ...
def descend_all(
    problems: list[LinearProblem],
    tol: float,
    max_steps: int,
    threads: int,
    hook: Callable[..., bool] | None,
) -> tuple[list[LinearSolution | None], BaseException | None]: ...
def lasso(
    gram: NDArray[np.float64],
    linear: NDArray[np.float64],
    penalty: NDArray[np.float64],
    start: NDArray[np.float64],
    tol: float,
) -> NDArray[np.float64]: ...
def linear_scores(
    data: Data, coef: NDArray[np.float64], intercepts: NDArray[np.float64], threads: int
) -> NDArray[np.float64]: ...
def certify_linear(
    problem: LinearProblem,
    w: NDArray[np.float64],
    c: float,
    b: NDArray[np.float64],
    threads: int,
) -> LinearCertificate: ...
def solve_all(
    problems: Problems,
    start: NDArray[np.float64] | None,
    tol: float,
    max_steps: int,
    cache_bytes: int,
    threads: int,
    alone: bool,
    hook: Callable[..., bool] | None,
) -> tuple[Solutions, BaseException | None]: ...
def certify_all(problems: Problems, b: NDArray[np.float64], threads: int) -> list[Certificate]: ...

class Expansion:
    def __init__(
        self, kernel: Kernel, centres: Data, weights: NDArray[np.float64], threads: int
    ) -> None: ...
    def at(self, points: Data, threads: int) -> NDArray[np.float64]: ...

class RoughExpansion:
    def __init__(
        self, kernel: Kernel, centres: Data, weights: NDArray[np.float64], threads: int
    ) -> None: ...
    @staticmethod
    def offers(kernel: Kernel) -> bool: ...
    def at(self, points: Data, threads: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...

def shuffled(data: Data, rows: NDArray[np.int64], seed: int) -> NDArray[np.int64]: ...
def choose_rate(
    data: Data,
    y: NDArray[np.float64],
    weight: NDArray[np.float64],
    sample: NDArray[np.int64],
    plan: Plan,
    outputs: int,
    threads: int,
) -> tuple[float, float]: ...
def bounds(
    data: Data,
    y: NDArray[np.float64],
    weight: NDArray[np.float64],
    plan: Plan,
    weights: NDArray[np.float64],
    intercepts: NDArray[np.float64],
    unit: float,
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
def measure_peak(threads: int) -> tuple[float, float, float]: ...
def instruction_set() -> str: ...
