"""The examples of --help run, all of them, on data of the kind they speak of."""

import gzip
import importlib
import io
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from distributed import LocalCluster
from sklearn.datasets import load_diabetes, load_iris, load_wine

from maxmargin.cli import main
from maxmargin.cli.app import VERBS, app
from maxmargin.data.files import write_libsvm

SPECIES = np.array(["setosa", "versicolor", "virginica"])


def examples():
    """The lines of all help texts that call the command."""
    texts = [app.help]
    for name in VERBS:
        module = name.replace("-", "_")
        texts.append(getattr(importlib.import_module(f"maxmargin.cli.{module}"), module).help)
    lines = [line.strip() for text in texts for line in text.splitlines()]
    return [line for line in lines if re.match(r"(\w+ \S+ \| )?maxmargin \w+ ", line)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the data that the examples name, and the models that others have made."""
    here = tmp_path_factory.mktemp("examples")
    X, y = load_iris(return_X_y=True)
    names = ["sepal length", "sepal width", "petal length", "petal width"]
    iris = pd.DataFrame(X, columns=names)
    iris.to_csv(here / "new.csv", index=False)
    iris = iris.assign(species=SPECIES[y])
    iris.to_csv(here / "iris.csv", index=False)
    iris.to_csv(here / "data.csv", index=False)
    iris.iloc[::3].to_csv(here / "held_out.csv", index=False)
    wine = load_wine()
    for name in ("a9a.txt", "train.txt", "test.txt"):
        write_libsvm(here / name, wine.data[:, :4], wine.target)
    write_libsvm(here / "clicks", wine.data[:, :4], wine.target == 1)
    (here / "clicks.gz").write_bytes(gzip.compress((here / "clicks").read_bytes()))
    ads = load_wine(as_frame=True).data.iloc[:, :4].assign(clicks=wine.target == 1)
    for k in range(2):
        ads.iloc[k::2].to_parquet(here / f"part-{k}.parquet")
    sugar = load_diabetes(as_frame=True).frame.rename(columns={"target": "price"})
    sugar.loc[3, "bmi"] = np.nan
    sugar.iloc[:40].to_parquet(here / "houses.parquet")
    sugar.iloc[80:100].to_parquet(here / "sold.parquet")
    iris[names].assign(serial=[f"{k:04}" for k in range(150)]).to_csv(
        here / "sensors.csv", index=False
    )
    prices = iris[names].assign(gut=np.where(y, "schön", "nö"))
    prices.to_csv(here / "preise.csv", sep=";", decimal=",", encoding="latin-1", index=False)
    return here


def test_there_are_examples():
    assert len(examples()) > 15


@pytest.fixture
def cluster():
    """Threads in place of the processes that `--cluster local:2` starts (test_cluster.py)."""
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0"
    ) as cluster:
        yield cluster


@pytest.mark.usefixtures("folder", "lab_page")
def test_every_example_runs(folder, cluster, monkeypatch, capfd):
    monkeypatch.chdir(folder)
    # What the first lines make, the others use.
    for line in sorted(examples(), key=lambda line: "maxmargin train " not in line):
        feed, piped, rest = line.partition(" | maxmargin ")
        call = rest if piped else line.removeprefix("maxmargin ")
        words = shlex.split(call.partition(" | ")[0].replace("local:2", cluster.scheduler_address))
        if piped:
            text = subprocess.run(["bash", "-c", feed], capture_output=True, check=True).stdout
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
        assert main(words) == 0, (line, capfd.readouterr().err)
        assert capfd.readouterr().out or "-o" in words or words[0] in ("convert", "export")
    assert Path("iris.model.range").exists()
    assert Path("clicks.maxmargin").exists()
    assert Path("classes.parquet").read_bytes().startswith(b"PAR1")
