"""A machine that isn't as one would wish: the run works all the same, or says in one line why not.

What needs namespaces of its own is skipped where this user may not make any.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
from contextlib import closing, suppress

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="uses namespaces of Linux"),
]

# 2(N−1)/N·S + 144·2(n − n/N) with N = 2 ranks, n = 4 messages, S = 1 MiB: 1,048,576 + 576.
SENT = 1_049_152
RUN = f"{shlex.quote(sys.executable)} -m verify run all-reduce-bytes ranks=2 payload=1048576"
LOOPBACK = "ip link set lo up; "
APART = LOOPBACK + "mount -t tmpfs -o {options} tmpfs /dev/shm; "
# Names of settings that are none at all stay out.
WORKS = {
    "no name resolution": LOOPBACK
    + "mount --bind /dev/null /etc/hosts; mount --bind /dev/null /etc/resolv.conf; ",
    "small shared memory": APART.format(options="size=64k"),
    "one core": "",
    "64 threads asked for": "",
    "an interface that isn't there": "",
    "port 29500 taken": "",
}
SETTINGS = {
    "64 threads asked for": {"OMP_NUM_THREADS": "64", "MKL_NUM_THREADS": "64"},
    "an interface that isn't there": {"GLOO_SOCKET_IFNAME": "nonsense0"},
    "port 29500 taken": {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29500"},
}
FAILS = {
    "no loopback": ("", "rank 0 can't use the network interface lo: there is none of that name"),
    "no shared memory": (
        APART.format(options="ro"),
        "OSError: [Errno 30] /dev/shm, where ranks share memory, can't be used: Read-only",
    ),
}


@pytest.fixture
def namespaces():
    """The right to make namespaces, and what it takes."""
    for tool in ("unshare", "ip", "mount"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} isn't installed")
    if subprocess.run(["unshare", "-n", "-m", "true"], capture_output=True, check=False).returncode:
        pytest.skip("this user may not make network and mount namespaces")


def start(before="", way=(), **settings):
    inherited = {k: v for k, v in os.environ.items() if k != "OMP_NUM_THREADS"}
    path = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "QUIZ_LANG": "en"}
    return subprocess.Popen(
        [*way, "/bin/sh", "-c", f"set -e; {before}exec {RUN} --json"],
        env=inherited | path | settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_six_runs_at_once_each_in_surroundings_of_its_own(namespaces):
    with closing(socket.socket()) as taken:
        with suppress(OSError):  # somebody has it already: as good
            taken.bind(("127.0.0.1", 29500))
            taken.listen()
        started = {}
        for name, before in WORKS.items():
            way = ["unshare", "-n", "-m"] if before else []
            if name == "one core":
                way = ["taskset", "-c", str(min(os.sched_getaffinity(0)))]
            started[name] = start(before, way, **SETTINGS.get(name, {}))
        for name, process in started.items():
            out, error = process.communicate(timeout=240)
            assert process.returncode == 0, (name, error)
            record = json.loads(out)
            assert record["quantities"]["wire_sent"]["per_rank"] == [SENT] * 2, name
            assert {law["verdict"] for law in record["laws"]} == {"confirmed"}, name


@pytest.mark.parametrize(("before", "said"), FAILS.values(), ids=FAILS.keys())
def test_it_says_in_one_line_what_is_wrong(before, said, namespaces):
    process = start(before, ["unshare", "-n", "-m"])
    out, error = process.communicate(timeout=120)
    assert process.returncode == 1
    assert out == ""
    lines = error.splitlines()
    assert len(lines) <= 2, error
    assert any(line.strip().startswith(said) for line in lines), error


def in_the_background(name, tmp_path):
    """A script that runs an experiment which another package brings, and waits for it."""
    brought = tmp_path / "brought"
    information = brought / "broken-1.dist-info"
    information.mkdir(parents=True)
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1\n")
    (information / "entry_points.txt").write_text(
        f"[proofdeck.experiments]\nthrow-away = {name}:experiment\n"
    )
    path = os.pathsep.join([str(brought), *filter(None, sys.path)])
    script = '"$0" -m verify run throw-away & echo $!; wait $!; echo $?'
    return subprocess.Popen(
        ["/bin/sh", "-c", script, sys.executable],
        env=os.environ | {"PYTHONPATH": path, "QUIZ_LANG": "en"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_run_that_breaks_prints_no_verdict(module, tmp_path):
    name = module("if rank.index == 1: raise ValueError('on purpose')\nmeet()")
    out, error = in_the_background(name, tmp_path).communicate(timeout=120)
    assert out.split()[1:] == ["1"], "its exit code and nothing else"
    assert error == "rank 1 raised ValueError: on purpose\n  last step: running\n"


def test_an_interrupt_reaches_a_run_in_the_background_of_a_script(
    module, tmp_path, children, gone, eventually
):
    """A shell that isn't interactive has it started with interrupts ignored."""
    seen = tmp_path / "seen"
    body = f"open({str(seen)!r}, 'a').write(f'{{os.getppid()}} ')\ntime.sleep(1000)"
    script = in_the_background(module(body), tmp_path)
    program = int(script.stdout.readline())
    try:
        assert eventually(lambda: seen.exists() and len(seen.read_text().split()) == 2, 90)
        server = int(seen.read_text().split()[0])
        workers = children(server)
        os.kill(program, signal.SIGINT)
        out, _ = script.communicate(timeout=10)
    finally:
        script.kill()
    assert out.split() == ["130"]
    assert len(workers) == 2
    assert eventually(lambda: gone(server, *workers))
