"""Which code and which machine yielded a piece of evidence."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import sys
from collections.abc import Mapping
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from verify.experiment import Experiment
from verify.quantities import Value


@lru_cache
def package_hash(folder: Path) -> str:
    """SHA-256, first 16 hex digits, over the Python sources below a folder, in path order."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(str(path.relative_to(folder)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def code_hash(experiment: Experiment) -> str:
    """Hash of this package and, where another one brings the experiment, of that one too."""
    ours = Path(__file__).parent
    module = sys.modules[experiment.run.__module__]
    source = Path(module.__file__ or __file__)
    if source.is_relative_to(ours):
        return package_hash(ours)
    top = sys.modules.get(module.__name__.partition(".")[0], module)
    home = Path(top.__file__ or source)
    theirs = (
        package_hash(home.parent)
        if hasattr(top, "__path__")
        else hashlib.sha256(source.read_bytes()).hexdigest()[:16]
    )
    return f"{package_hash(ours)}+{theirs}"


def installed_torch() -> str:
    """The version of torch that a run would use, from its metadata: torch isn't imported."""
    return _release("torch") or "none"


def describe(torch_version: str, experiment: Experiment) -> dict[str, str]:
    """The environment of a run, as it goes into the evidence."""
    return {
        "code": code_hash(experiment),
        "proofdeck": _release("proofdeck") or "source",
        "origin": experiment.origin,
        "torch": torch_version,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "host": platform.node(),
        "processors": str(os.cpu_count()),
    }


# What the same run may differ in and still be the same evidence is left out of the key: the host's
# name (a container has a new one each time), and what `code` already says.
_DECISIVE = ("code", "torch", "python", "system", "processors")


def evidence_key(
    experiment: str,
    parameters: Mapping[str, Value],
    fault: str | None,
    environment: Mapping[str, str],
) -> str:
    """SHA-256 in hex under which evidence is kept and, before a run, looked up.

    Equal for equal parameters in any order; different where the code, torch, Python or the machine
    differ, so that evidence never outlives what it speaks of.
    """
    decisive = {name: environment.get(name) for name in _DECISIVE}
    record = [experiment, dict(parameters), fault, decisive]
    return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()


def _release(distribution: str) -> str | None:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None
