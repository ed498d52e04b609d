"""The outermost frame of a program: signals, streams, and errors that nobody else has met."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
from collections.abc import Callable, Sequence
from types import FrameType
from typing import NoReturn

from verify.errors import ProofdeckError, UsageError
from verify.text import Language, Text

INTERRUPTED = 130
_TURN_SECONDS = 0.5


def enter(run: Callable[[Sequence[str]], int], language: Language) -> NoReturn:
    """Run a program to its end; what it gives is the exit code.

    Besides, 130 where it was interrupted, 0 where nobody reads its output any more (`… | head`),
    and 2 where something can't be read or written that it had no answer to (`> /dev/full`).
    """
    # SIGINT too: a shell that starts us in the background lets us ignore it, and then nothing but
    # SIGKILL would end a long run.
    for ending in (signal.SIGTERM, signal.SIGINT):
        signal.signal(ending, _interrupt)
    _mend_streams()
    try:
        code = run(sys.argv[1:])
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = INTERRUPTED
    except (BrokenPipeError, SystemExit):  # typer turns the first into the second
        code = 0
    except OSError as error:
        code = tell(_failed(error), language)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is done: the code to give is known
    _leave(newline=code == INTERRUPTED)
    sys.exit(code)


def tell(error: ProofdeckError, language: Language) -> int:
    """Say on standard error what went wrong, behind what was printed before; the exit code."""
    with contextlib.suppress(OSError):
        sys.stdout.flush()
    with contextlib.suppress(OSError):
        sys.stderr.write(error.render(language) + "\n")
    return error.exit_code


def await_input() -> None:
    """On a terminal, wait in short turns until a line can be read.

    Python heeds a signal between calls. One that comes in the instant before a read blocks, or that
    the system gives to another thread, would wait with it for the next line.
    """
    if sys.stdin.isatty():
        with contextlib.suppress(OSError, ValueError):  # a stream without a descriptor
            while not select.select([sys.stdin], [], [], _TURN_SECONDS)[0]:
                pass


def _failed(error: OSError) -> UsageError:
    where = f"{error.filename}: " if error.filename else ""
    reason = where + (error.strerror or type(error).__name__)
    return UsageError(
        Text(ja=f"読み書きに失敗しました({reason})。", en=f"Reading or writing failed: {reason}."),
        Text(
            ja="出力先の空きと権限を確かめてください。",
            en="Check the space and the permissions of where the output goes.",
        ),
    )


def _mend_streams() -> None:
    """Closed streams read as empty ones; bytes of another encoding are no crash."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115, PTH123 # until we end
        elif hasattr(stream := getattr(sys, name), "reconfigure"):
            stream.reconfigure(errors="replace")


def _interrupt(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def _leave(*, newline: bool) -> None:
    """End the line on a terminal; spare the interpreter last flushes that can't succeed."""
    with contextlib.suppress(OSError, ValueError):
        if newline and sys.stderr.isatty():
            sys.stderr.write("\n")
            sys.stderr.flush()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            with contextlib.suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
