"""The verbs together, and what becomes of their errors: one line and an exit status."""

from __future__ import annotations

import os
import sys
import warnings
from importlib import import_module
from typing import Any

import click

from maxmargin import __version__

#: What each verb does; it is in the module of its name, which is imported when it is called.
VERBS = {
    "train": "Train a model on data.",
    "select": "Search the best C and gamma for data.",
    "predict": "Predict data with a model.",
    "explain": "Say why a model says what it says of rows.",
    "scale": "Scale the columns of data.",
    "convert": "Convert data or models between formats.",
    "export": "Write a model for programs without maxmargin: ONNX, C.",
    "info": "Show what is in a model file.",
    "plot": "Draw a model and data.",
    "report": "Report on a model and data, as one page of HTML.",
    "lab": "Open data in the lab, a page in the browser.",
    "demo": "Show what maxmargin can do, on bundled data.",
    "svm-train": "LIBSVM's svm-train: its options, its files.",
    "svm-predict": "LIBSVM's svm-predict: its options, its files.",
}
#: The options of parameters that are not called like them.
_OPTIONS = {"header": "option --header or --no-header"}

EXITS = """\
\b
Exit status:
  0    all went well
  2    the command was not understood
  3    a file's content, or the data in it, cannot be used
  4    a file cannot be read or written, or must not be replaced
  5    an optional package is missing
  6    the model is written, but its fit was stopped: by a limit or by Ctrl-C
  130  interrupted
  141  whatever read the output has stopped reading
"""


class Verbs(click.Group):
    """A group that lists its verbs without importing them, so that --help is there at once."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Import the verb that is called."""
        name, verb, rest = super().resolve_command(ctx, args)
        if name in VERBS:
            module = name.replace("-", "_")
            verb = getattr(import_module(f"maxmargin.cli.{module}"), module)
        return name, verb, rest


@click.group(
    cls=Verbs,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    invoke_without_command=True,
    epilog=EXITS,
)
@click.version_option(__version__, message="maxmargin %(version)s")
@click.pass_context
def app(context: click.Context) -> None:
    """Support vector machines: exact, certified, fast and visible.

    \b
    maxmargin train data.csv -o model.maxmargin
    maxmargin predict model.maxmargin new.csv
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


for name, text in VERBS.items():
    app.add_command(click.Command(name, short_help=text))


def run(arguments: list[str]) -> int:
    """Run the command and turn errors into one line and a status.

    Parameters
    ----------
    arguments : list of str
        What follows the command's name.

    Examples
    --------
    >>> run(["--version"])
    maxmargin ...
    0
    """
    with warnings.catch_warnings():
        # What speaks to the user, such as a fit that ended early; not what speaks to programmers.
        warnings.simplefilter("ignore")
        warnings.simplefilter("default", UserWarning)
        warnings.showwarning = _warn
        try:
            status = _run(arguments)
            sys.stdout.flush()
        except BrokenPipeError:
            # The reader has left, as `head` does; what is still buffered must not be written.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 141
        except OSError as error:
            return _say_and(4, f"{error.filename or 'standard output'}: {error.strerror or error}")
        return status


def _run(arguments: list[str]) -> int:
    try:
        # Not by click's own main(), which would answer a closed pipe itself.
        with app.make_context("maxmargin", arguments) as context:
            app.invoke(context)
        return 0
    except click.exceptions.Exit as ending:
        return ending.exit_code
    except click.UsageError as error:
        name = error.ctx.command_path if error.ctx else "maxmargin"
        return _say_and(2, f"{error.format_message()} (see {name} --help)")
    except (KeyboardInterrupt, click.Abort):
        return _say_and(130, "interrupted")
    except ImportError as error:
        return _say_and(5, str(error))
    except MemoryError:
        return _say_and(3, "the data do not fit in memory")
    except (ValueError, TypeError) as error:  # FileError among them, which names a parameter
        parameter = getattr(error, "parameter", None) or ""
        option = _OPTIONS.get(parameter, f"option --{parameter}")
        return _say_and(3, f"{error} ({option})" if parameter else str(error))


def _say_and(status: int, text: str) -> int:
    print(f"maxmargin: {' '.join(text.split())}", file=sys.stderr)
    return status


def _warn(message: Any, category: type[Warning], *_: Any, **__: Any) -> None:
    print(f"maxmargin: warning: {' '.join(str(message).split())}", file=sys.stderr)
