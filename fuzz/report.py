"""What `make fuzz` has done so far in this tree: python -m fuzz.report."""

import re
from pathlib import Path

FOLDER = Path("build") / "fuzzed"
EXECUTED = re.compile(r"stat::number_of_executed_units:\s*(\d+)")
COVERED = re.compile(r"cov: (\d+) ft: (\d+) corp: (\d+)/(\S+)")


def row(log: Path) -> tuple[str, int, int, int, int]:
    """Return a target's name, its executions, edges and features covered, and what broke it."""
    text = log.read_text(errors="replace")
    covered = COVERED.findall(text)
    kept = [path for path in FOLDER.glob(f"{log.stem}-*") if path.is_file()]
    broken = [path for path in kept if "-slow-unit-" not in path.name]  # which went on
    executions = sum(map(int, EXECUTED.findall(text)))
    edges = max((int(found[0]) for found in covered), default=0)
    features = max((int(found[1]) for found in covered), default=0)
    return log.stem, executions, edges, features, len(broken)


def main() -> None:
    """Print the table."""
    rows = [row(log) for log in sorted(FOLDER.glob("*.log"))]
    print("| target | executions | edges | features | inputs that broke it |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for name, *numbers in rows:
        print(f"| {name} | {' | '.join(f'{number:,}' for number in numbers)} |")
    print(f"| sum | {sum(found[1] for found in rows):,} | | | {sum(found[4] for found in rows)} |")


if __name__ == "__main__":
    main()
