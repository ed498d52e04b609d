"""Built-in experiments by file, others by entry point."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

from verify import catalogue
from verify.catalogue import experiment_names, find_experiment
from verify.errors import UnknownName, UsageError


@pytest.fixture
def brings(tmp_path, monkeypatch):
    """Install a distribution, on sys.path alone, that brings experiments by entry point."""

    def install(distribution, entries, source):
        module = f"{distribution.replace('-', '_')}_module"
        (tmp_path / f"{module}.py").write_text(textwrap.dedent(source))
        metadata = tmp_path / f"{distribution.replace('-', '_')}-1.0.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\n")
        lines = [f"{name} = {module}:experiment" for name in entries]
        (metadata / "entry_points.txt").write_text(
            "\n".join(["[proofdeck.experiments]", *lines, ""])
        )
        monkeypatch.syspath_prepend(str(tmp_path))
        return module

    find_experiment.cache_clear()
    yield install
    find_experiment.cache_clear()


THEIRS = """
    from dataclasses import dataclass
    from verify.experiment import Experiment
    @dataclass(frozen=True)
    class Parameters:
        ranks: int = 2
    def run(rank, parameters): return {}
    experiment = Experiment("theirs", Parameters, run, quantities=())
"""


def test_built_in_experiments_are_found_by_file():
    assert "all-reduce-bytes" in experiment_names()
    for name in catalogue._built_in():
        assert find_experiment(name).name == name
        assert find_experiment(name).origin == "proofdeck"


def test_listing_imports_no_experiment():
    script = (
        "import sys; from verify.catalogue import experiment_names; experiment_names()\n"
        "sys.exit(any(n.startswith('verify.experiments.') for n in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_an_unknown_name_is_told_with_its_neighbour():
    with pytest.raises(UnknownName) as caught:
        find_experiment("all-reduce-byte")
    assert caught.value.hint.en == "Did you mean all-reduce-bytes?"
    with pytest.raises(UnknownName) as caught:
        find_experiment("zzz")
    assert "quiz verify list" in caught.value.hint.en


def test_a_package_brings_an_experiment_and_is_imported_only_when_named(brings):
    module = brings("their-package", ["theirs"], THEIRS)
    assert "theirs" in experiment_names()
    assert module not in sys.modules
    assert find_experiment("theirs").origin == "their-package"


def test_a_package_cannot_shadow_a_built_in_name(brings):
    module = brings("shadow", ["all-reduce-bytes"], "raise RuntimeError('imported')")
    assert experiment_names().count("all-reduce-bytes") == 1
    assert find_experiment("all-reduce-bytes").origin == "proofdeck"
    assert module not in sys.modules


def test_a_broken_package_is_told_without_a_traceback(brings):
    brings("broken", ["theirs"], "raise RuntimeError('not today')")
    with pytest.raises(
        UsageError, match="theirs of broken can't be loaded: RuntimeError: not today"
    ):
        find_experiment("theirs")


def test_an_entry_point_must_lead_to_an_experiment_of_its_name(brings):
    brings("misnamed", ["ours"], THEIRS)
    with pytest.raises(UsageError, match="is not an Experiment named ours"):
        find_experiment("ours")


@pytest.mark.parametrize(
    ("distribution", "decorator", "default", "told"),
    [
        ("bare", "", " = 2", "Parameters is no dataclass."),
        ("open", "@dataclass(frozen=True)", "", "the parameter ranks has no default."),
        (
            "loose",
            "@dataclass(frozen=True)",
            " = 2",
            "the fault skip of the law x == 1 is not among its faults.",
        ),
    ],
)
def test_an_unfit_experiment_is_refused_when_named(brings, distribution, decorator, default, told):
    declared = f"""
    from dataclasses import dataclass
    from verify.experiment import Experiment, Law
    from verify.text import Text
    {decorator}
    class Parameters:
        ranks: int{default}
    def run(rank, parameters): return {{}}
    law = Law("x == 1", Text(en="one"), fault="skip")
    experiment = Experiment("theirs", Parameters, run, quantities=(), laws=(law,))
    """
    brings(distribution, ["theirs"], declared)
    with pytest.raises(UsageError) as caught:
        find_experiment("theirs")
    assert caught.value.message.en == f"the experiment theirs of {distribution}: {told}"
