"""Maps of shapes: is there any on which a peer is faster? python -m benchmarks map

A peer that takes many times as long is not waited for, and its ratio is a bound.

A map is a module with `cells(arguments)`, which yields a `Cell` for each problem it has timed, in
processor time with one thread for everyone, at an accuracy it has verified. The ratios are printed
as they come and once more as tables of rows by columns; what is lost is red. The exit status is 1
if anything is.
"""

import argparse
import math
import multiprocessing
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from time import process_time
from typing import Any

from benchmarks.results import Table, available_cores, keep, machine
from maxmargin.cli.terminal import Terminal

RED = "31"
CORNER = "rows"
#: The modules of the maps by name, in the order in which they are printed.
MAPS = {
    "linear": "benchmarks.map_linear",
    "kernel": "benchmarks.map_kernel",
    "classes": "benchmarks.map_classes",
}
#: Fits are repeated in turns until everyone has had so many seconds and turns.
ENOUGH_SECONDS, MOST_TURNS, LEAST_TURNS = 0.1, 25, 3
#: Who takes longer than this is timed once.
LONG = 1.0
#: Who takes longer than `LEAST` seconds, and so many times as long as we or so many seconds longer,
#: is not waited for.
LEAST, TIMES, LONGER = 3.0, 20.0, 60.0


def patience(ours: float) -> float:
    """Return how long peers may take where we take so many seconds.

    >>> patience(0.01), patience(1.0), patience(30.0)
    (3.0, 20.0, 90.0)
    """
    return max(LEAST, min(TIMES * ours, ours + LONGER))


@dataclass(frozen=True)
class Cell:
    """A problem of a map with seconds: ours, and of each peer that has solved it as well as we.

    The label is "TABLE: n x d", where cells of one table are printed side by side: rows by columns,
    or by classes.
    """

    label: str
    ours: float
    peers: Mapping[str, float]

    @property
    def table(self) -> str:
        return self.label.rpartition(": ")[0]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns, or classes.

        >>> Cell("dense, hinge, C=1: 100 x 30", 1.0, {}).shape
        (100, 30)
        """
        n, d = self.label.rpartition(": ")[2].split(" x ")
        return int(n), int(d)

    @property
    def ratio(self) -> float:
        """How many times as long the fastest peer takes; infinite if none has solved it.

        >>> Cell("dense: 10 x 10", 2.0, {"a": 6.0, "b": 8.0}).ratio
        3.0
        """
        return min(self.peers.values(), default=math.inf) / self.ours

    @property
    def lost(self) -> bool:
        return self.ratio < 1


def in_turns(fits: Mapping[str, Callable[[], object]]) -> dict[str, float]:
    """Return the best processor time of each fit, all taken in turns.

    A fit that takes long is timed once.
    """
    best = dict.fromkeys(fits, math.inf)
    spent = 0.0
    for turn in range(MOST_TURNS):
        going = [name for name in fits if turn == 0 or best[name] <= LONG]
        for name in going:
            start = process_time()
            fits[name]()
            best[name] = min(best[name], process_time() - start)
        spent += sum(best[name] for name in going)
        if turn + 1 >= LEAST_TURNS and spent >= ENOUGH_SECONDS * len(fits):
            break
    return best


def within(seconds: float, action: Callable[[], Any]) -> Any:
    """Return what an action returns, or None if it takes more processor time than that.

    In a process of its own, as compiled code that asks nobody cannot be stopped otherwise.

    >>> within(5.0, lambda: 3)
    3
    """
    receiver, sender = multiprocessing.Pipe(duplex=False)

    def act() -> None:
        signal.setitimer(signal.ITIMER_PROF, seconds)  # whose signal ends the process
        sender.send(action())

    child = multiprocessing.get_context("fork").Process(target=act, daemon=True)
    child.start()
    sender.close()
    try:
        answer = receiver.recv()
    except EOFError:
        answer = None
    child.join()
    if child.exitcode not in (0, -signal.SIGPROF):
        raise RuntimeError(f"the process has failed with exit status {child.exitcode}")
    return answer


@contextmanager
def spinning(processes: int) -> Iterator[None]:
    """Keep cores busy meanwhile."""
    others = [multiprocessing.Process(target=_spin, daemon=True) for _ in range(processes)]
    for other in others:
        other.start()
    try:
        yield
    finally:
        for other in others:
            other.terminate()
            other.join()


def _spin() -> None:
    while True:
        pass


def show(terminal: Terminal, cell: Cell) -> None:
    peers = ", ".join(f"{name} {1e3 * seconds:.3g}" for name, seconds in cell.peers.items())
    line = f"{cell.label:44}{1e3 * cell.ours:9.3g} ms  {_digits(cell.ratio):>6}  ({peers})"
    terminal.line(terminal.marked(line, RED) if cell.lost else line)


def show_tables(terminal: Terminal, cells: Iterable[Cell]) -> list[Table]:
    """Print the ratios of each table as a map of its shapes, and return them."""
    by_table: dict[str, dict[tuple[int, int], Cell]] = {}
    for cell in cells:
        by_table.setdefault(cell.table, {})[cell.shape] = cell
    return [_show_table(terminal, title, found) for title, found in by_table.items()]


def _show_table(terminal: Terminal, title: str, found: Mapping[tuple[int, int], Cell]) -> Table:
    columns = sorted({d for _, d in found})
    terminal.line(f"\n{title}\n{CORNER:>8}" + "".join(f"{d:>8}" for d in columns))
    rows = []
    for n in sorted({n for n, _ in found}):
        row = [found.get((n, d)) for d in columns]
        digits = [_digits(cell.ratio) if cell else "" for cell in row]
        coloured = [
            terminal.marked(f"{text:>8}", RED) if cell is not None and cell.lost else f"{text:>8}"
            for cell, text in zip(row, digits, strict=True)
        ]
        terminal.line(f"{n:>8}" + "".join(coloured))
        rows.append([f"{n:,}", *digits])
    note = "How many times as long the fastest peer takes, rows by columns, or by classes."
    return Table(title, note, [CORNER, *(f"{d:,}" for d in columns)], rows)


def _digits(ratio: float) -> str:
    return "alone" if math.isinf(ratio) else f"{ratio:.2f}" if ratio < 10 else f"{ratio:.0f}"


def conclude(terminal: Terminal, cells: list[Cell]) -> int:
    """Say how many are lost, and return the exit status."""
    compared = [cell for cell in cells if not math.isinf(cell.ratio)]
    lost = [cell for cell in compared if cell.lost]
    solved = [cell.ratio for cell in compared if cell.ratio > 0]
    if solved:
        mean = math.exp(sum(map(math.log, solved)) / len(solved))
        terminal.line(f"\n{len(solved)} shapes, {mean:.1f} times as fast in the geometric mean.")
    for cell in sorted(lost, key=lambda cell: cell.ratio):
        terminal.line(terminal.marked(f"lost: {cell.label}, {_digits(cell.ratio)}", RED))
    terminal.line(f"{len(lost)} of {len(compared)} are lost.")
    return 1 if lost or not compared else 0


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks map", description=__doc__)
    add = parser.add_argument
    add("--maps", default=",".join(MAPS), metavar="A,B", help="only these (%(default)s)")
    add("--only", default="", metavar="TEXT", help="only cells with this in their label")
    add("--quick", action="store_true", help="few of the shapes")
    add("--busy", action="store_true", help="a spinning process for each core meanwhile")
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    options, terminal, about = parse(arguments), Terminal.of(sys.stdout), machine()
    cells: list[Cell] = []
    with spinning(available_cores() if options.busy else 0):
        for name in options.maps.split(","):
            for cell in import_module(MAPS[name]).cells(options):
                show(terminal, cell)
                cells.append(cell)
    tables = show_tables(terminal, cells)
    if not (options.quick or options.only):
        keep("map", "make bench-map", tables, {**about, "busy": options.busy})
    return conclude(terminal, cells)
