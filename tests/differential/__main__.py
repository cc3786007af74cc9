"""Judge many problems and list the faults: see the package."""

import argparse
import sys
from collections import Counter

from differential.draw import Drawn, draw
from differential.judging import judge


def main() -> int:
    """Judge the problems that are asked for."""
    parser = argparse.ArgumentParser(prog="differential", description=__doc__)
    parser.add_argument("--problems", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first problem")
    parser.add_argument("--certificates", action="store_true", help="do not look for the optima")
    options = parser.parse_args()
    tally = Tally()
    try:
        for number in range(options.first, options.first + options.problems):
            tally.add(draw(options.seed, number), solve=not options.certificates)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
    print(tally)
    return 1 if tally.faulty else 0


class Tally:
    """What became of the problems so far."""

    def __init__(self) -> None:
        self.ends: Counter[str] = Counter()
        self.faulty, self.slowest, self.optima, self.missed = 0, 0.0, 0, 0

    def add(self, drawn: Drawn, *, solve: bool) -> None:
        """Judge a problem; print its faults, and now and then how far it has come."""
        judged = judge(drawn, solve)
        self.ends[judged.end] += 1
        self.slowest = max(self.slowest, judged.seconds)
        self.optima, self.missed = self.optima + judged.optima, self.missed + judged.missed
        self.faulty += bool(judged.faults)
        for fault in judged.faults:
            print(f"{drawn}\n    {fault}", flush=True)
        if self.ends.total() % 100 == 0:
            print(self.ends.total(), "problems", file=sys.stderr, flush=True)

    def __str__(self) -> str:
        ends = ", ".join(f"{n} {end}" for end, n in self.ends.most_common())
        return (
            f"{self.ends.total()} problems: {ends}\n"
            f"the slowest fit took {self.slowest:.2f} s of processor time; {self.optima} optima "
            f"were found independently, {self.missed} were not; {self.faulty} problems are faulty"
        )


sys.exit(main())
