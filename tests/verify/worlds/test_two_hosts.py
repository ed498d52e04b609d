"""Two hosts of two ranks each: network namespaces that a veth pair joins, and a torchrun in each.

Namespaces stand in for machines: each has interfaces, addresses, a loopback and a name of its own,
and whatever passes between them passes through the pair, where the kernel counts it. That takes
root and iproute2; without them the tests are skipped and say so.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from fractions import Fraction
from pathlib import Path

import pytest

from verify.catalogue import find_experiment
from verify.evidence import Evidence
from verify.laws import judge_laws
from verify.quantities import Measured
from verify.worlds.request import Request

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="uses namespaces of Linux"),
    pytest.mark.xdist_group("two hosts"),
]

ADDRESSES = ("10.213.7.1", "10.213.7.2")
RATE = 100e6  # bits per second of the slowed link
PROGRAM = """
import importlib, json, os, sys
from verify.catalogue import find_experiment
from verify.errors import ProofdeckError
from verify.worlds.request import Request
from verify.worlds.torchrun import run_here, speaks

deadline, *wanted = json.loads(sys.argv[1])
try:
    for name, given in wanted:
        if name.startswith("throw_away"):
            experiment = importlib.import_module(name).experiment
        else:
            experiment = find_experiment(name)
        request = Request(experiment, experiment.bind(given), deadline=deadline)
        evidence = run_here(request)
        if evidence is not None:
            print("EVIDENCE", json.dumps(evidence.to_json()), flush=True)
except ProofdeckError as error:
    if speaks(os.environ):
        print("SAID", error.render("en"), flush=True)
    sys.exit(error.exit_code)
"""
SAME = [
    ("all-reduce-bytes", {"ranks": 4, "payload": "4 MiB"}),
    ("data-parallel-step", {"ranks": 4}),
    ("pipeline-bubble", {"stages": 4, "microbatches": 8, "schedule": "1f1b", "wait": 0}),
    ("hybrid-mesh", {"data": 2, "stages": 2, "tensor": 1}),
    ("tensor-parallel-mlp", {"ranks": 4}),
]
QUANTITIES = """
from verify.vocabulary import WIRE, seconds_per_rank, size_per_rank
COUNTER = size_per_rank("interface_sent", "x", "x")
"""
# What one host's ranks send to the other's, and what the kernel says that the interface sent.
COUNTED = """
import torch, torch.distributed as dist
from pathlib import Path
counter = Path("/sys/class/net/wire0/statistics/tx_bytes")
tensor = torch.ones(16 * 2**20 // 4)
dist.all_reduce(tensor)
rank.barrier()
time.sleep(0.3)
before = int(counter.read_text())
rank.barrier()
with rank.wire.window() as wire:
    dist.all_reduce(tensor)
passed = int(counter.read_text()) - before
rank.barrier()
return {**wire.readings(), "interface_sent": Reading(passed, Source.MEASURED)}
"""
TIMED = """
import subprocess, torch, torch.distributed as dist
if rank.index in (0, 2):
    shape = "tc qdisc replace dev wire0 root tbf rate 100mbit burst 128kb latency 500ms"
    subprocess.run(shape.split(), check=True)
small, large = (torch.ones(mebibytes * 2**20 // 4) for mebibytes in (2, 6))
dist.all_reduce(small)
seconds = []
for tensor in (small, large):
    rank.barrier()
    started = time.monotonic()
    dist.all_reduce(tensor)
    seconds.append(time.monotonic() - started)
return {
    name: Reading(value, Source.MEASURED)
    for name, value in zip(("small", "large"), seconds, strict=True)
}
"""
LOST = "rank.step('waiting')\nopen(MARK, 'a').write('x')\nwhile True: meet()"


def ip(*arguments):
    subprocess.run(["ip", *arguments], check=True, capture_output=True, text=True)


class Hosts:
    """Two namespaces and the pair between them."""

    def __init__(self):
        self.names = [f"proofdeck-{os.getpid()}-{side}" for side in "ab"]
        self.running = []
        try:
            self._join()
        except subprocess.CalledProcessError:
            self.close()
            raise

    def _join(self):
        for name in self.names:
            ip("netns", "add", name)
        ip(
            "link", "add", "name", "wire0", "netns", self.names[0],
            "type", "veth", "peer", "name", "wire0", "netns", self.names[1],
        )  # fmt: skip
        for name, address in zip(self.names, ADDRESSES, strict=True):
            ip("-n", name, "address", "add", f"{address}/24", "dev", "wire0")
            for interface in ("lo", "wire0"):
                ip("-n", name, "link", "set", interface, "up")

    def torchrun(self, deadline, wanted, extra=""):
        """Start one torchrun on each host; the processes, whose output is that of its ranks."""
        started = []
        for number, name in enumerate(self.names):
            command = [
                "ip", "netns", "exec", name, "unshare", "--uts", "sh", "-c",
                'hostname "$0" && exec "$@"', f"host-{number}",
                sys.executable, "-m", "torch.distributed.run",
                "--nnodes", "2", "--node-rank", str(number), "--nproc-per-node", "2",
                "--master-addr", ADDRESSES[0], "--master-port", "29513",
                "--no-python", sys.executable, "-c", extra + PROGRAM,
                json.dumps([deadline, *wanted]),
            ]  # fmt: skip
            started.append(
                subprocess.Popen(
                    command,
                    env=os.environ
                    | {
                        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
                        "GLOO_SOCKET_IFNAME": "wire0",
                        "OMP_NUM_THREADS": "1",
                    },
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                )
            )
        self.running += started
        return started

    def die(self, side):
        """As when its power goes: no word reaches the other host any more."""
        ip("-n", self.names[side], "link", "set", "wire0", "down")
        self.kill(side)

    def kill(self, side):
        listed = subprocess.run(
            ["ip", "netns", "pids", self.names[side]], capture_output=True, text=True, check=False
        )
        for process in map(int, listed.stdout.split()):
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)

    def close(self):
        for side, name in enumerate(self.names):
            self.kill(side)
            with suppress(subprocess.CalledProcessError):
                ip("netns", "delete", name)
        for process in self.running:
            process.communicate()


@pytest.fixture(scope="module")
def hosts():
    for tool in ("ip", "tc", "unshare"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} isn't installed (Debian's iproute2, util-linux)")
    try:
        made = Hosts()
    except subprocess.CalledProcessError as error:
        pytest.skip(f"this user may not make network namespaces: {error.stderr.strip()}")
    yield made
    made.close()


def throw_away(module, body, declared, top=""):
    """A module of an experiment on four ranks that yields the quantities declared."""
    name = module(body, QUANTITIES + top)
    path = Path(next(p for p in sys.path if (Path(p) / f"{name}.py").exists())) / f"{name}.py"
    text = path.read_text()
    kept = text[: text.index("experiment = Experiment(")]
    path.write_text(
        kept.replace("ranks: int = 2", "ranks: int = 4")
        + f"experiment = Experiment('{name}', Parameters, run, quantities=({declared},))\n"
    )
    return name


def evidence_of(launched, seconds=150):
    out, errors = [], []
    for process in launched:
        said, error = process.communicate(timeout=seconds)
        out.append(said)
        errors.append(error[-3000:])
    assert [process.returncode for process in launched] == [0, 0], (out, errors)
    assert out[1] == "", "rank 0 alone speaks"
    lines = [line for line in out[0].splitlines() if line.startswith("EVIDENCE ")]
    return [Evidence.from_json(json.loads(line.partition(" ")[2])) for line in lines]


def numbers(evidence, name):
    quantity = evidence.quantities[name]
    assert isinstance(quantity, Measured), quantity
    return [interval.value for interval in quantity.values]


def test_the_same_quantities_as_locally_and_what_passes_between_hosts(hosts, module, world):
    counted = throw_away(module, COUNTED, "*WIRE, COUNTER")
    timed = throw_away(module, TIMED, "*(seconds_per_rank(n, n, n) for n in ('small', 'large'))")
    *found, interface, slowed = evidence_of(hosts.torchrun(90, [*SAME, (counted, {}), (timed, {})]))
    assert len(found) == len(SAME)
    for (name, given), evidence in zip(SAME, found, strict=True):
        assert (evidence.world.hosts, evidence.world.launcher) == (2, "torchrun")
        experiment = find_experiment(name)
        local = world.run(Request(experiment, experiment.bind(given)))
        for one in judge_laws(experiment, evidence):
            assert one.judgement.verdict == "confirmed", (name, one)
        for quantity, measured in local.quantities.items():
            there = evidence.quantities[quantity]
            assert type(there) is type(measured), (name, quantity, there)
            if isinstance(measured, Measured) and all(i.exact for i in measured.values):
                assert there == measured, (name, quantity)

    # Ranks 0 and 1 are on one host, 2 and 3 on the other; the ring crosses once in each direction.
    payload = 16 * 2**20
    rows = [numbers(interface, "wire_matrix")[4 * r : 4 * r + 4] for r in range(4)]
    shares = [[float(cell / payload) for cell in row] for row in rows]
    assert sorted(round(share, 2) for row in shares for share in row)[-4:] == [1.5] * 4
    across = sum(rows[r][c] for r in (0, 1) for c in (2, 3))
    back = sum(rows[r][c] for r in (2, 3) for c in (0, 1))
    assert float(across) == pytest.approx(1.5 * payload, rel=0.01)
    sent = numbers(interface, "interface_sent")
    assert float(sent[0]) == pytest.approx(float(across), rel=0.01)
    assert float(sent[2]) == pytest.approx(float(back), rel=0.01)

    # 2(N−1)/N·S cross the slowed link in either direction at once.
    small, large = (max(numbers(slowed, name)) for name in ("small", "large"))
    for seconds, mebibytes in ((small, 2), (large, 6)):
        bits = Fraction(3, 2) * mebibytes * 2**20 * 8
        assert 0.8 < seconds / float(bits / RATE) < 1.6
    assert large / small == pytest.approx(3, rel=0.25)


def test_when_one_host_dies_the_other_ends_by_the_deadline_and_says_so(hosts, module, tmp_path):
    mark = tmp_path / "mark"
    name = throw_away(module, LOST, "COUNTER", top=f"MARK = {str(mark)!r}")
    deadline = 12
    launched = hosts.torchrun(deadline, [(name, {})])
    bound = time.monotonic() + 100
    while not mark.exists() or len(mark.read_text()) < 4:
        assert time.monotonic() < bound
        time.sleep(0.05)
    died = time.monotonic()
    hosts.die(1)
    out, error = launched[0].communicate(timeout=90)
    assert time.monotonic() - died < deadline + 15, "and the launcher's own time to end"
    assert launched[0].returncode == 1
    said = [line for line in out.splitlines() if line.startswith("SAID")]
    assert len(said) == 1, error[-3000:]
    assert said[0] == "SAID rank 2 ended without a result (no word from it)."
