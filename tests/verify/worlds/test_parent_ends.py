"""However the parent ends, in the middle of a run, its server, workers and files go with it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")

SCRIPT = """
import importlib, os, pathlib, sys
from verify.worlds.local import LocalWorld
from verify.worlds.request import Request

experiment = importlib.import_module(sys.argv[1]).experiment
folder = pathlib.Path(sys.argv[2])
running = set()

def told(progress):
    running.add(progress.rank)
    if progress.step == "running" and len(running) == 2:
        (folder / "running").write_text(str(os.getpid()))

with LocalWorld() as world:
    world.run(Request(experiment, experiment.Parameters()), told)
"""
WAYS = {
    # how it is started, and how it ends
    "Ctrl-C": ("exec {python}", signal.SIGINT),
    "terminated": ("exec {python}", signal.SIGTERM),
    "killed": ("exec {python}", signal.SIGKILL),
    "killed in the background of a script": ("{python} & wait", signal.SIGKILL),
}


@pytest.mark.slow
def test_nothing_outlives_the_parent(module, tmp_path, children, gone, eventually):
    """All ways at once: most of the time goes into loading torch."""
    name = module("rank.step('running')\ntime.sleep(1000)")
    scripts, starters = {}, []
    try:
        for number, (start, _) in enumerate(WAYS.values()):
            folder = tmp_path / str(number)
            folder.mkdir()
            command = start.format(python='"$0" -c "$1" "$2" "$3"')
            starters.append(
                subprocess.Popen(
                    ["/bin/sh", "-c", command, sys.executable, SCRIPT, name, str(folder)],
                    env=os.environ
                    | {
                        "TMPDIR": str(folder),
                        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
                    },
                    stderr=subprocess.DEVNULL,
                )
            )
        for number, way in enumerate(WAYS):
            written = tmp_path / str(number) / "running"
            assert eventually(lambda w=written: w.exists() and w.read_text() != "", 60), way
            scripts[way] = int(written.read_text())
        for number, (way, script) in enumerate(scripts.items()):
            (server,) = children(script)
            workers = children(server)
            assert len(workers) == 2
            folder = tmp_path / str(number)
            assert len(list(folder.glob("proofdeck-*"))) == 1
            os.kill(script, WAYS[way][1])
            assert eventually(lambda processes=(server, *workers): gone(*processes), 2.5), way
            assert eventually(lambda f=folder: list(f.glob("proofdeck-*")) == [], 1), way
    finally:
        for starter in starters:
            starter.kill()
            starter.wait()


def test_a_server_whose_parent_goes_while_it_imports_goes_too(tmp_path, children, gone, eventually):
    """Torch takes seconds to import; a fake one here takes forever."""
    slow = tmp_path / "torch"
    slow.mkdir()
    (slow / "__init__.py").write_text("import time; time.sleep(1000)")
    script = (
        "import os, time; from verify.worlds.local import LocalWorld\n"
        "LocalWorld().warm(); time.sleep(1000)"
    )
    path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    parent = subprocess.Popen([sys.executable, "-c", script], env=os.environ | {"PYTHONPATH": path})
    try:
        assert eventually(lambda: len(children(parent.pid)) == 1, 20)
        (server,) = children(parent.pid)
        time.sleep(0.3)
    finally:
        parent.kill()
        parent.wait()
    assert eventually(lambda: gone(server), 2.5)
