"""Evidence is found again by what decides it, and by nothing else."""

from __future__ import annotations

import subprocess
import sys

import pytest

from verify.catalogue import find_experiment
from verify.environment import code_hash, describe, evidence_key, installed_torch, package_hash
from verify.worlds.request import Request, request_key

MACHINE = {
    "code": "a", "torch": "2.13.0", "python": "3.11.7", "system": "Linux x86_64",
    "processors": "2", "host": "here", "proofdeck": "0.1.0", "origin": "proofdeck",
}  # fmt: skip
KEY = evidence_key("all-reduce-bytes", {"ranks": 4, "payload": 4}, None, MACHINE)


def test_the_key_is_a_sha256_and_blind_to_order_and_to_the_name_of_the_host():
    assert len(bytes.fromhex(KEY)) == 32
    elsewhere = MACHINE | {"host": "there", "proofdeck": "0.1.1"}
    assert evidence_key("all-reduce-bytes", {"payload": 4, "ranks": 4}, None, elsewhere) == KEY


@pytest.mark.parametrize(
    "other",
    [
        ("pipeline-bubble", {"ranks": 4, "payload": 4}, None, MACHINE),
        ("all-reduce-bytes", {"ranks": 3, "payload": 4}, None, MACHINE),
        ("all-reduce-bytes", {"ranks": 4, "payload": 4}, "stale", MACHINE),
        *(
            ("all-reduce-bytes", {"ranks": 4, "payload": 4}, None, MACHINE | {name: "other"})
            for name in ("code", "torch", "python", "system", "processors")
        ),
    ],
)
def test_the_key_tells_apart_what_matters(other):
    assert evidence_key(*other) != KEY


def test_the_key_is_known_before_the_run(world):
    experiment = find_experiment("all-reduce-bytes")
    request = Request(experiment, experiment.bind({"ranks": 2, "payload": "1 MiB"}))
    before = request_key(request)
    found = world.run(request)
    assert before == evidence_key(
        found.experiment, found.parameters, found.fault, found.environment
    )


def test_the_key_needs_no_torch():
    script = (
        "import sys\n"
        "from verify.catalogue import find_experiment\n"
        "from verify.worlds.request import Request, request_key\n"
        "from verify.worlds.local import LocalWorld\n"
        "import verify.worlds.torchrun\n"
        "e = find_experiment('all-reduce-bytes'); request_key(Request(e, e.bind({})))\n"
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_the_hash_follows_the_sources(tmp_path):
    (tmp_path / "a.py").write_text("x = 1")
    first = package_hash(tmp_path)
    package_hash.cache_clear()
    (tmp_path / "a.py").write_text("x = 2")
    assert package_hash(tmp_path) != first


def test_a_third_party_experiment_adds_the_hash_of_its_package(tmp_path, monkeypatch):
    import importlib

    package = tmp_path / "their_package_for_hashing"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "theirs.py").write_text(
        "from verify.experiment import Experiment\n"
        "def run(rank, parameters): return {}\n"
        "experiment = Experiment('theirs', object, run, quantities=())\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    theirs = importlib.import_module("their_package_for_hashing.theirs").experiment
    ours = code_hash(find_experiment("all-reduce-bytes"))
    assert code_hash(theirs) == f"{ours}+{package_hash(package)}"


def test_the_environment_names_torch_and_the_machine():
    environment = describe(installed_torch(), find_experiment("all-reduce-bytes"))
    assert environment["torch"].startswith("2.")
    assert all(isinstance(value, str) and value for value in environment.values())
