"""Thousands of small random problems, held against an independent solver in a hundred digits.

    PYTHONPATH=tests python -m differential --problems 10000 --seed 0

Each problem is drawn from its number alone (`draw`), fitted, and judged (`judging`): its
certificate is recomputed from the definitions in decimal numbers, and the optimum is found by an
interior point method in the same numbers (`optimum`), which has nothing in common with the library.
"""
