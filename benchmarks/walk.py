"""The walk of a fit through our own Python code: how many calls, functions and files it takes.

    python -m benchmarks.walk           # a line for each walk: the numbers of docs/architecture.md
    python -m benchmarks.walk SVC.fit   # the functions of one walk, in the order of first calls

Counted are calls of functions in files below src/maxmargin, lambdas included. Comprehensions, what
a dataclass writes for itself, the compiled core and other libraries do not count. Each walk is the
second of its kind, so that nothing is counted that happens once per process.
"""

import inspect
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from sklearn.datasets import load_iris

import maxmargin
from maxmargin.selection import GridSearchCV

HOME = Path(maxmargin.__file__).parent
#: Functions to Python 3.11 and parts of their functions to later ones.
COMPREHENSIONS = ("<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>")


class Walk:
    """The calls that a function makes, in order, each with the file of its caller."""

    def __init__(self, action: Callable[[], Any]) -> None:
        self.calls: list[tuple[CodeType, str]] = []
        self._generators: set[FrameType] = set()
        action()
        sys.setprofile(self._note)
        try:
            action()
        finally:
            sys.setprofile(None)

    def _note(self, frame: FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        ours = event == "call" and Path(code.co_filename).is_relative_to(HOME)
        if not ours or code.co_name in COMPREHENSIONS:
            return
        # A generator that goes on is not called again.
        if frame in self._generators:
            return
        if code.co_flags & inspect.CO_GENERATOR:
            self._generators.add(frame)
        caller = frame.f_back.f_code.co_filename if frame.f_back else ""
        self.calls.append((code, caller))

    @property
    def functions(self) -> Counter[CodeType]:
        """How often each function was called, in the order of the first calls."""
        return Counter(code for code, _ in self.calls)

    @property
    def files(self) -> list[str]:
        """The files, in the order in which they were entered."""
        return list(dict.fromkeys(place(code) for code in self.functions))

    @property
    def crossings(self) -> int:
        """Calls from one file of ours into another."""
        return sum(
            caller != code.co_filename and Path(caller).is_relative_to(HOME)
            for code, caller in self.calls
        )

    def __str__(self) -> str:
        return (
            f"{len(self.calls)} calls, {len(self.functions)} functions, {len(self.files)} files, "
            f"{self.crossings} calls across files"
        )


def place(code: CodeType) -> str:
    """Return the file of a function, as the package has it."""
    return Path(code.co_filename).relative_to(HOME).as_posix()


def actions() -> dict[str, Callable[[], Any]]:
    """What is walked: three classes of Iris."""
    X, y = load_iris(return_X_y=True)
    grid = {"C": [1.0, 10.0], "gamma": [0.1, 1.0]}
    kernel, linear = maxmargin.SVC().fit(X, y), maxmargin.LinearSVC().fit(X, y)
    return {
        "SVC.fit": lambda: maxmargin.SVC().fit(X, y),
        "LinearSVC.fit": lambda: maxmargin.LinearSVC().fit(X, y),
        "SVC.predict": lambda: kernel.predict(X),
        "LinearSVC.predict": lambda: linear.predict(X),
        "GridSearchCV.fit": lambda: GridSearchCV(maxmargin.SVC(), grid).fit(X, y),
    }


def main(name: str = "") -> int:
    """Print the numbers of all walks, or the course of one."""
    found = actions()
    if name and name not in found:
        print(f"there is no walk {name!r}; there are {', '.join(found)}", file=sys.stderr)
        return 2
    if not name:
        for each, action in found.items():
            print(f"{each:18} {Walk(action)}")
        return 0
    walk, last = Walk(found[name]), ""
    for code, times in walk.functions.items():
        file = place(code)
        again = f"  x{times}" if times > 1 else ""
        print(f"{'' if file == last else file:38} {code.co_qualname}{again}")
        last = file
    print(walk)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
