"""Runs: what is asked, where it runs, what comes back, and progress meanwhile."""

from __future__ import annotations

from verify.evidence import Evidence
from verify.report.progress import ProgressLine, of_several
from verify.report.progress import words as progress_words
from verify.worlds.local import LocalWorld
from verify.worlds.request import OnProgress, Request, request_key
from verify.worlds.request import Progress as RunProgress
from verify.worlds.request import ignore as ignore_progress

__all__ = [
    "Evidence",
    "LocalWorld",
    "OnProgress",
    "ProgressLine",
    "Request",
    "RunProgress",
    "ignore_progress",
    "of_several",
    "progress_words",
    "request_key",
]
