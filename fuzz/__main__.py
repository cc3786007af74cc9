"""Fuzz one target: python -m fuzz TARGET [libFuzzer's options]."""

import inspect
import sys
from pathlib import Path
from types import FunctionType

import atheris

from fuzz.targets import FOLDER, TARGETS

WATCHED = (
    "maxmargin.data",
    "maxmargin.estimators",
    "maxmargin.export",
    "maxmargin.solvers",
    "maxmargin.storage",
)


def watch() -> None:
    """Count the branches of the functions that are fuzzed; the import hook does not find them."""
    modules = [module for name, module in sys.modules.items() if name.startswith(WATCHED)]
    classes = [v for m in modules for v in vars(m).values() if inspect.isclass(v)]
    holders = [*modules, *(c for c in classes if c.__module__.startswith(WATCHED))]
    found = {v for holder in holders for v in vars(holder).values() if isinstance(v, FunctionType)}
    for function in found:
        if function.__module__.startswith(WATCHED):
            atheris.instrument_func(function)


def main() -> None:
    """Run libFuzzer on a target, from its seeds; it ends by -max_total_time or at a crash."""
    name, *options = sys.argv[1:]
    run, seeds = TARGETS[name]
    corpus = FOLDER / "corpus"
    corpus.mkdir()
    for k, seed in enumerate(seeds):
        (corpus / str(k)).write_bytes(seed)
    found = Path("build") / "fuzzed"
    found.mkdir(parents=True, exist_ok=True)
    options = [
        "-rss_limit_mb=2048",  # a small file must not take much memory
        "-timeout=10",
        # Of files any length; of choices no more than a run makes.
        f"-max_len={400 if name in ('machines', 'writers') else 65536}",
        f"-artifact_prefix={found}/{name}-",
        *options,
    ]
    watch()
    atheris.Setup([sys.argv[0], *options, str(corpus)], run)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
