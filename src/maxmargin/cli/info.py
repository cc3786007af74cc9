"""The verb `info`: what is in a model file."""

from __future__ import annotations

import json
import sys
from math import isnan
from pathlib import Path
from typing import Any

import click
from sklearn.pipeline import Pipeline

from maxmargin.cli.inputs import model_argument
from maxmargin.cli.modelfile import ModelFormat, model_format, read_model
from maxmargin.cli.terminal import Terminal
from maxmargin.prompt import rounded
from maxmargin.storage import inspect


@click.command()
@model_argument
@click.option("--json", "as_json", is_flag=True, help="Print the header as JSON.")
def info(model: str, as_json: bool) -> None:
    """Show what is in a model file, and check that it is not damaged.

    \b
    maxmargin info iris.maxmargin
    maxmargin info iris.maxmargin --json | jq .notes
    """
    kind = model_format(model)
    if as_json:
        if kind is not ModelFormat.MAXMARGIN:
            raise click.UsageError("--json is for files of maxmargin's own format")
        click.echo(json.dumps(inspect(model)))
        return
    estimator, notes = read_model(model)
    rows = [["format", "" if kind is None else kind.value]]
    if kind is ModelFormat.MAXMARGIN:
        rows.append(["written by maxmargin", str(inspect(model).get("maxmargin"))])
    rows += [["bytes", f"{Path(model).stat().st_size:,}"], *_steps(estimator)]
    rows += [[f"note: {key}", str(value)] for key, value in notes.items() if value is not None]
    Terminal.of(sys.stdout).table([model, ""], rows)


def _steps(estimator: Any) -> list[list[str]]:
    if not isinstance(estimator, Pipeline):
        return _machine(estimator)
    before = [type(step).__name__ for _, step in estimator.steps[:-1]]
    return [["before the machine", ", ".join(before)], *_machine(estimator[-1])]


def _machine(machine: Any) -> list[list[str]]:
    rows = [["machine", type(machine).__name__], ["features", f"{machine.n_features_in_:,}"]]
    if hasattr(machine, "classes_"):
        names = ", ".join(map(str, machine.classes_[:8]))
        more = ", ..." if len(machine.classes_) > 8 else ""
        rows.append([f"{len(machine.classes_)} classes", names + more])
    rows += [
        [name, f"{getattr(machine, name):g}"]
        for name in ("C", "epsilon", "nu")
        if isinstance(getattr(machine, name, None), int | float)
    ]
    if hasattr(machine, "kernel"):
        rows += [["kernel", rounded(str(machine.model_.kernel))]]
    elif hasattr(machine, "loss"):
        rows += [["loss", machine.loss]]
    # A linear model of a cluster has none: dual variables stay with the workers' rows.
    if hasattr(machine, "support_") and (hasattr(machine, "kernel") or len(machine.support_)):
        rows += [["support vectors", f"{len(machine.support_):,}"]]
    certificate = getattr(machine, "certificate_", None)
    if certificate is not None and not isnan(certificate.gap):
        rows += [["relative gap", f"{certificate.gap:.1e}"]]
        rows += [["KKT violation", f"{certificate.violation:.1e}"]]
    if hasattr(machine, "status_"):
        rows.append(["status", machine.status_.name])
    return rows
