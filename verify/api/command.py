"""The command line that verify brings, and the guesses of a class."""

from __future__ import annotations

from verify.cli import Surroundings as VerifySurroundings
from verify.cli import app as verify_app
from verify.cli import look_now
from verify.guesses import Guess, ask_numbers, off_by, read_line
from verify.guesses import say as say_aside

__all__ = [
    "Guess",
    "VerifySurroundings",
    "ask_numbers",
    "look_now",
    "off_by",
    "read_line",
    "say_aside",
    "verify_app",
]
