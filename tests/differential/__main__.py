"""Judge many problems and list the faults: see the package."""

import argparse
import sys
from collections import Counter

from differential.draw import draw
from differential.judging import judge


def main() -> int:
    """Judge the problems that are asked for."""
    parser = argparse.ArgumentParser(prog="differential", description=__doc__)
    parser.add_argument("--problems", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first problem")
    parser.add_argument("--certificates", action="store_true", help="do not look for the optima")
    options = parser.parse_args()
    ends: Counter[str] = Counter()
    faulty, slowest, optima, missed = 0, 0.0, 0, 0
    for number in range(options.first, options.first + options.problems):
        drawn = draw(options.seed, number)
        judged = judge(drawn, solve=not options.certificates)
        ends[judged.end] += 1
        slowest = max(slowest, judged.seconds)
        optima, missed = optima + judged.optima, missed + judged.missed
        faulty += bool(judged.faults)
        for fault in judged.faults:
            print(f"{drawn}\n    {fault}", flush=True)
    print(
        f"{options.problems} problems: {', '.join(f'{n} {end}' for end, n in ends.most_common())}"
    )
    print(
        f"the slowest fit took {slowest:.2f} s; {optima} optima were found independently, ", end=""
    )
    print(f"{missed} were not; {faulty} problems are faulty")
    return 1 if faulty else 0


sys.exit(main())
