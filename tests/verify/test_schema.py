"""What `--json` prints against the schema that ships, and the contract that both keep."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import verify
from verify.catalogue import experiment_names, find_experiment
from verify.cli import app
from verify.errors import UnknownName
from verify.evidence import Evidence
from verify.laws import judge_laws
from verify.quantities import Unmeasured, scalar
from verify.report.runs import to_json
from verify.report.show import to_json as show_json
from verify.schema import OWN, text
from verify.text import Text

# The keys that scripts may rely on.
RUN = {"experiment", "parameters", "world", "quantities", "laws", "environment", "seconds"}
WORLD = {"ranks", "hosts", "backend", "device", "launcher"}


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    return json.loads(text("run", {}))


def records_of(measured: list[Evidence]) -> Any:
    experiment = find_experiment(measured[0].experiment)
    return json.loads(json.dumps(to_json([(e, judge_laws(experiment, e)) for e in measured],
                                         experiment)))  # fmt: skip


def fits(value: Any, schema: dict[str, Any], root: dict[str, Any]) -> bool:
    return jsonschema.Draft202012Validator({**schema, "$defs": root["$defs"]}).is_valid(value)


def undocumented(value: Any, schema: dict[str, Any], root: dict[str, Any], at: str) -> list[str]:
    """Keys of an output that the schema has no word for."""
    while "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rsplit("/", 1)[1]]
    if "anyOf" in schema:
        fitting = [one for one in schema["anyOf"] if fits(value, one, root)]
        options = [undocumented(value, one, root, at) for one in fitting]
        return min(options, key=len, default=[])
    if isinstance(value, list) and isinstance(schema.get("items"), dict):
        return [k for v in value for k in undocumented(v, schema["items"], root, f"{at}[]")]
    if not isinstance(value, dict):
        return []
    own, rest = schema.get("properties", {}), schema.get("additionalProperties")
    found = []
    for key, inner in value.items():
        if key in own:
            assert own[key].get("description") or "$ref" in own[key], f"{at}.{key}"
            found += undocumented(inner, own[key], root, f"{at}.{key}")
        elif isinstance(rest, dict):
            found += undocumented(inner, rest, root, f"{at}.*")
        else:
            found.append(f"{at}.{key}")
    return found


def check(output: Any, schema: dict[str, Any]) -> None:
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(output)
    assert undocumented(output, schema, schema, "run") == []


def test_a_measured_run(measure: Callable[..., Evidence], schema: dict[str, Any]) -> None:
    record = records_of([measure("all-reduce-bytes", ranks=3, payload="1 MiB")])
    check(record, schema)
    assert set(record) >= RUN
    assert set(record["world"]) == WORLD
    sent = record["quantities"]["wire_sent"]
    assert set(sent) == {"per_rank", "unit", "low", "high", "exact", "source"}
    assert (len(sent["per_rank"]), sent["unit"], sent["source"]) == (3, "B", "measured")
    assert sent["exact"] == [str(value) for value in sent["per_rank"]]
    assert len(record["quantities"]["wire_matrix"]["matrix"]) == 3
    assert {law["text"]: law["verdict"] for law in record["laws"]}[
        "wire_sent == 2*(ranks-1)/ranks*payload ± 1%"
    ] == "confirmed"


def test_what_the_pipeline_yields_is_exact(
    measure: Callable[..., Evidence], schema: dict[str, Any]
) -> None:
    """(p−1)/(m+p−1) = 1/3 at p = 2, m = 2: not a float that is close to it."""
    record = records_of([measure("pipeline-bubble", stages=2, microbatches=2, wait=0)])
    check(record, schema)
    bubble = record["quantities"]["bubble_replay"]
    assert bubble["exact"] == "1/3"
    assert bubble["value"] == pytest.approx(1 / 3)
    wall = record["quantities"]["bubble_wall"]
    assert wall["value"] is None
    assert "wait=0" in wall["reason"]["en"]


def test_a_sweep_is_a_list(measure: Callable[..., Evidence], schema: dict[str, Any]) -> None:
    one = measure("all-reduce-bytes", ranks=3, payload="1 MiB")
    records = records_of([one, replace(one, fault="one-element")])
    check(records, schema)
    assert [record["fault"] for record in records] == [None, "one-element"]


def test_the_record_comes_back_whole(measure: Callable[..., Evidence]) -> None:
    for one in (
        measure("all-reduce-bytes", ranks=3, payload="1 MiB"),
        measure("pipeline-bubble", stages=2, microbatches=2, wait=0),
    ):
        assert Evidence.from_json(json.loads(json.dumps(one.to_json()))).to_json() == one.to_json()


@pytest.mark.parametrize(
    "broken",
    [
        {"quantities": {"x": {"value": 1}}},
        {"quantities": {"x": {"per_rank": 1, "unit": "B", "low": 1, "high": 1, "source": "read"}}},
        {"world": {"ranks": 0}},
        {"seconds": "1"},
        {"laws": [{"text": "a == b", "verdict": "true"}]},
    ],
)
def test_the_schema_refuses_what_isnt_so(
    measure: Callable[..., Evidence], schema: dict[str, Any], broken: dict[str, Any]
) -> None:
    record = records_of([measure("all-reduce-bytes", ranks=3, payload="1 MiB")])
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(schema).validate(record | broken)


@pytest.mark.parametrize("name", experiment_names())
def test_what_an_experiment_is(name: str) -> None:
    described = json.loads(text("experiment", {}))
    experiment = find_experiment(name)
    record = json.loads(json.dumps(show_json(experiment)))
    check(record, described)
    check([record, record], described)
    assert [p["name"] for p in record["parameters"]] == [p.name for p in experiment.parameters()]
    assert [law["text"] for law in record["laws"]] == [law.claim for law in experiment.laws]
    assert {law["fault"] for law in record["laws"]} - {None} <= {
        f["name"] for f in record["faults"]
    }


def test_list_and_show_print_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert app(["list", "--json"], standalone_mode=False) is None
    listed = json.loads(capsys.readouterr().out)
    assert [record["experiment"] for record in listed] == list(experiment_names())
    assert app(["show", "all-reduce-bytes", "--json"], standalone_mode=False) is None
    assert json.loads(capsys.readouterr().out) in listed


def test_every_schema_is_named_and_others_are_refused() -> None:
    for name in OWN:
        assert json.loads(text(name, {}))["$schema"].endswith("2020-12/schema")
    with pytest.raises(UnknownName, match="run"):
        text("../run", {})


def test_unmeasured_and_scalars_have_a_place(
    measure: Callable[..., Evidence], schema: dict[str, Any]
) -> None:
    one = measure("all-reduce-bytes", ranks=3, payload="1 MiB")
    quantities = {**one.quantities, "wire_sent": Unmeasured(Text(en="no counters")),
                  "result_spread": scalar(0.5)}  # fmt: skip
    record = records_of([replace(one, quantities=quantities)])
    check(record, schema)
    assert "exact" not in record["quantities"]["result_spread"]


def test_the_program_prints_what_the_schema_says(tmp_path: Path, schema: dict[str, Any]) -> None:
    trace = tmp_path / "trace.json"
    done = subprocess.run(
        [sys.executable, "-m", "verify", "run", "all-reduce-bytes", "ranks=2",
         "payload=1 MiB,2 MiB", "--json", "--predict", "--trace", str(trace)],
        input="64 KiB, 1 MiB\n", cwd=Path(verify.__file__).parent.parent,
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    records = json.loads(done.stdout)
    check(records, schema)
    assert [record["guess"] for record in records] == [["64 KiB", "1 MiB"], []]
    assert {e["ph"] for e in json.loads(trace.read_text())["traceEvents"]} == {"M", "X"}
