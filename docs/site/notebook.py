"""A lecture's source as a Jupyter notebook, to run and change."""

import json

from docs.site.cells import Cell


def notebook(cells: list[Cell]) -> str:
    """Return a notebook of format 4.5, without outputs."""
    return json.dumps(
        {
            "cells": [_cell(number, cell) for number, cell in enumerate(cells)],
            "metadata": {
                "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}
            },
            "nbformat": 4,
            "nbformat_minor": 5,
        },
        indent=1,
    )


def _cell(number: int, cell: Cell) -> dict[str, object]:
    made: dict[str, object] = {
        "cell_type": "markdown" if cell.is_prose else "code",
        "id": f"cell-{number}",
        "metadata": {"tags": ["solution"]} if cell.is_solution else {},
        "source": cell.text,
    }
    return made if cell.is_prose else made | {"execution_count": None, "outputs": []}
