"""Run a benchmark: python -m benchmarks quick, kernel, files, stream or map."""

import argparse
import os
import sys
from pathlib import Path
from time import monotonic

from benchmarks import files, report, stream
from benchmarks.contestants import CONTESTANTS
from benchmarks.map import main as show_maps
from benchmarks.results import available_cores, keep, machine
from benchmarks.runner import ROOT, Settings, run
from benchmarks.suite import BUNDLED, EXTRA, SUITE, choose
from maxmargin.cli.terminal import Terminal

# What is usual: turns, seconds for each trial, seconds of a fit that is not repeated, and minutes
# after which no trial starts and all are cut. A trial's process takes two seconds to start, which
# is most of "quick".
USUAL = {
    "quick": {"repeats": 2, "limit": 10.0, "patience": 0.1, "minutes": 1.7},
    "kernel": {"repeats": 3, "limit": 60.0, "patience": 5.0, "minutes": 18.5},
    "files": {"repeats": 3},
    "full": {"repeats": 3, "limit": 600.0, "patience": float("inf"), "minutes": float("inf")},
}
# The bars are against scikit-learn, which carries a copy of LIBSVM: where a fit takes long, the
# original is given less time.
LESS_TIME = {"LIBSVM": 5.0}
PEERS = ROOT / ".venv-bench" / "bin" / "python"


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    add = parser.add_argument
    add(
        "suite",
        choices=["quick", "kernel", "files"],
        help="bundled data, that in MAXMARGIN_DATA, or reading files",
    )
    add("--rows", type=_names, default=[], metavar="A,B", help="only these rows")
    add("--contestants", type=_names, default=list(CONTESTANTS), metavar="A,B")
    add("--full", action="store_true", help="every repeat, ten minutes a trial, no deadline")
    add("--repeats", type=int, help="best of this many trials")
    add(
        "--limit",
        type=float,
        help="seconds for a fit or a prediction",
    )
    add("--minutes", type=float, help="start no trial after this")
    add("--cores", type=int, default=available_cores(), help="cores for everyone (%(default)s)")
    add(
        "--output",
        type=Path,
        default=ROOT / "build" / "bench",
        help="folder for JSON, table and PNG",
    )
    options = parser.parse_args(arguments)
    unknown = [name for name in options.contestants if name not in CONTESTANTS]
    if unknown:
        parser.error(f"no such contestants: {unknown}; there are {list(CONTESTANTS)}")
    options.limit_given = options.full or options.limit is not None
    for name, value in USUAL["full" if options.full else options.suite].items():
        if getattr(options, name, None) is None:
            setattr(options, name, value)
    return options


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["stream"]:
        return stream.main(arguments[1:])
    if arguments[:1] == ["map"]:
        return show_maps(arguments[1:])
    options = parse(arguments)
    if options.suite == "kernel" and "MAXMARGIN_DATA" not in os.environ:
        print("Set MAXMARGIN_DATA to the folder of the data sets.", file=sys.stderr)
        return 2
    if options.suite == "files":
        files.run(Terminal.of(sys.stdout), options.repeats)
        return 0
    rows = choose(BUNDLED if options.suite == "quick" else EXTRA + SUITE, options.rows)
    settings, terminal = make_settings(options), Terminal.of(sys.stdout)
    about = describe(options, settings)
    terminal.line(f"{about['cpu']}, {settings.cores} cores, load {about['load']:.1f} at the start")
    if about["load"] > 0.5:
        terminal.line("This machine is busy with other work: do not trust these times.")

    found = run(rows, settings, lambda row: report.show_row(terminal, row))
    report.show_summary(terminal, found)
    options.output.mkdir(parents=True, exist_ok=True)
    data, table, picture = (
        options.output / f"{options.suite}.{kind}" for kind in ("json", "md", "png")
    )
    report.write_json(data, about, found)
    report.write_markdown(table, found)
    report.draw(picture, found)
    kept = keep(options.suite, f"make bench-{options.suite}", report.tables(found), about)
    terminal.line(f"\nKept:    {kept}\nNumbers: {data}\nTable:   {table}\nPicture: {picture}")
    return 0


def make_settings(options: argparse.Namespace) -> Settings:
    peers = str(PEERS) if PEERS.exists() else sys.executable
    return Settings(
        contestants=tuple(options.contestants),
        python={True: peers, False: sys.executable},
        repeats=options.repeats,
        patience=options.patience,
        limit=options.limit,
        cores=options.cores,
        limits={} if options.limit_given else LESS_TIME,
        deadline=monotonic() + 60 * options.minutes,
    )


def describe(options: argparse.Namespace, settings: Settings) -> dict:
    return {
        "suite": options.suite,
        **machine(),
        "cores": settings.cores,
        "repeats": settings.repeats,
        "limit": settings.limit,
    }


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",")]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
