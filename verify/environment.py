"""Which code and which machine yielded a piece of evidence."""

from __future__ import annotations

import hashlib
import platform
import sys
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from verify.experiment import Experiment


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


def describe(torch_version: str, experiment: Experiment) -> dict[str, str]:
    """The environment of a run, as it goes into the evidence."""
    try:
        release = version("proofdeck")
    except PackageNotFoundError:
        release = "source"
    return {
        "code": code_hash(experiment),
        "proofdeck": release,
        "origin": experiment.origin,
        "torch": torch_version,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
    }
