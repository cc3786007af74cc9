"""The verbs together, and what becomes of their errors: one line and an exit status."""

from __future__ import annotations

import os
import sys
import warnings
from typing import Any

import click

from maxmargin import __version__
from maxmargin.cli.convert import convert
from maxmargin.cli.demo import demo
from maxmargin.cli.info import info
from maxmargin.cli.plot import plot
from maxmargin.cli.predict import predict
from maxmargin.cli.scale import scale
from maxmargin.cli.svm_predict import svm_predict
from maxmargin.cli.svm_train import svm_train
from maxmargin.cli.train import train
from maxmargin.data.files import FileError

EXITS = """\
\b
Exit status:
  0    all went well
  2    the command was not understood
  3    a file's content, or the data in it, cannot be used
  4    a file cannot be read or written
  5    an optional package is missing
  130  interrupted
  141  whatever read the output has stopped reading
"""


@click.group(
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


for verb in (train, predict, scale, convert, info, plot, demo, svm_train, svm_predict):
    app.add_command(verb)


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
    except FileError as error:
        option = f" (option --{error.parameter})" if error.parameter else ""
        return _say_and(3, f"{error}{option}")
    except ImportError as error:
        return _say_and(5, str(error))
    except MemoryError:
        return _say_and(3, "the data do not fit in memory")
    except (ValueError, TypeError) as error:
        return _say_and(3, str(error))


def _say_and(status: int, text: str) -> int:
    print(f"maxmargin: {' '.join(text.split())}", file=sys.stderr)
    return status


def _warn(message: Any, category: type[Warning], *_: Any, **__: Any) -> None:
    print(f"maxmargin: warning: {' '.join(str(message).split())}", file=sys.stderr)
