"""Throw-away experiments, and what a world may leave behind: nothing."""

from __future__ import annotations

import importlib
import itertools
import os
import tempfile
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from verify.worlds.request import Request

_TEMPLATE = '''\
"""A throw-away experiment."""
import os, signal, sys, threading, time
from dataclasses import dataclass
from verify.experiment import Experiment
from verify.quantities import Quantity, Reading, Shape, Source
from verify.text import Text
from verify.units import ONE

PARENT = {parent}
FINE = {{"answer": Reading(42, Source.COUNTED)}}

{top}

@dataclass(frozen=True)
class Parameters:
    ranks: int = 2

def meet():
    import torch, torch.distributed as dist
    dist.all_reduce(torch.ones(1000))

def run(rank, parameters):
{body}

experiment = Experiment(
    "throw-away", Parameters, run,
    quantities=(Quantity("answer", ONE, Shape.PER_RANK, Text(en="an answer")),),
)
'''
_numbers = itertools.count()


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Write a module with the given body of `run` and put it on sys.path; its name."""

    def write(body: str, top: str = "") -> str:
        name = f"throw_away_{os.getpid()}_{next(_numbers)}"
        folder = tmp_path / "modules"
        folder.mkdir(exist_ok=True)
        text = _TEMPLATE.format(
            parent=os.getpid(),
            top=textwrap.dedent(top),
            body=textwrap.indent(textwrap.dedent(body), "    "),
        )
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
        monkeypatch.syspath_prepend(str(folder))
        return name

    return write


@pytest.fixture
def request_for(module: Callable[..., str]) -> Callable[..., Request]:
    """A request for a throw-away experiment on `ranks` ranks."""

    def build(body: str, top: str = "", *, ranks: int = 2, **options: Any) -> Request:
        experiment = importlib.import_module(module(body, top)).experiment
        return Request(experiment, experiment.Parameters(ranks=ranks), **options)

    return build


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[Path]]:
    """The private folders of runs that there are now, of those made during the test."""
    spare = tmp_path / "temporary"
    spare.mkdir()
    monkeypatch.setenv("TMPDIR", str(spare))
    monkeypatch.setattr(tempfile, "tempdir", str(spare))
    return lambda: list(spare.glob("proofdeck-*"))


def children_of(parent: int) -> list[int]:
    """Processes whose parent this is, zombies left out."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                after_name = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(after_name[1]) == parent and after_name[0] != "Z":
                found.append(int(entry.name))
    return found


@pytest.fixture
def gone() -> Callable[..., bool]:
    """Whether none of these processes runs; one that nobody has waited for yet doesn't."""

    def look(*processes: int) -> bool:
        for process in processes:
            try:
                state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                continue
            if state != "Z":
                return False
        return True

    return look


@pytest.fixture
def children() -> Callable[[int], list[int]]:
    return children_of


@pytest.fixture
def servers() -> Callable[[int], list[int]]:
    """The warm servers of a process."""

    def find(parent: int) -> list[int]:
        return [
            child
            for child in children_of(parent)
            if b"verify.worlds.server" in Path(f"/proc/{child}/cmdline").read_bytes()
        ]

    return find


@pytest.fixture
def eventually() -> Callable[..., bool]:
    """Whether something comes true within some seconds."""

    def wait(condition: Callable[[], bool], seconds: float = 3.0) -> bool:
        bound = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > bound:
                return False
            time.sleep(0.02)
        return True

    return wait
