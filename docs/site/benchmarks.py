"""The directive `benchmarks`: what the runs kept in benchmarks/results have measured."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

FOLDER = Path(__file__).parents[2] / "benchmarks" / "results"


class Benchmarks(SphinxDirective):
    """A section for each kept run, in MyST."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the tables of a suite, or say how to make them."""
        path = FOLDER / f"{self.arguments[0]}.json"
        self.env.note_dependency(str(path))
        text = markdown(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else ""
        return self.parse_text_to_nodes(text or "No run of it is kept here.")


def markdown(run: dict[str, Any]) -> str:
    """Return a kept run as Markdown."""
    when = datetime.fromisoformat(run["started"])
    versions = ", ".join(f"{name} {number}" for name, number in run["versions"].items())
    busy = " **The machine was busy with other work; take the numbers as rough.**"
    about = (
        f"`{run['command']}`, {when:%d %B %Y}, on {run['cores']} cores of {run['cpu']}, load "
        f"{run['load']:.1f} at the start. Python {run['python']}, {versions}."
        f"{busy if run['load'] > 0.5 else ''}"
    )
    return "\n\n".join([about, *map(_table, run["tables"])])


def _table(table: dict[str, Any]) -> str:
    header = [cell or "row" for cell in table["header"]]
    rows = [header, ["---"] * len(header), *table["rows"]]
    lines = [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows]
    return f"**{table['title']}**: {table['note']}\n\n" + "\n".join(lines)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("benchmarks", Benchmarks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
