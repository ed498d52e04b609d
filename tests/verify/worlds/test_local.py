"""The local world: what it costs, what it inherits, where it listens, and two at once."""

from __future__ import annotations

import os
import signal
import socket
import stat
import sys
import threading
import time
from pathlib import Path

import pytest

from verify.catalogue import find_experiment
from verify.errors import NotInstalled, RunFailed
from verify.worlds.local import LocalWorld
from verify.worlds.request import Request
from verify.worlds.warm import environment_for_server

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")

# 2(N−1)/N·S + 144·2(n − n/N) with n = 8 messages, N = 4 ranks, S = 4 MiB: 6,291,456 + 1,728.
SENT = 6_293_184
_LISTENING = "0A"  # TCP_LISTEN of linux/net/tcp_states.h


def all_reduce(**given):
    experiment = find_experiment("all-reduce-bytes")
    return Request(experiment, experiment.bind(given))


def sent(evidence):
    return [interval.value for interval in evidence.quantities["wire_sent"].values]


def listening_addresses(pid):
    """Local addresses, as the kernel writes them, on which a process listens."""
    folder = Path(f"/proc/{pid}")
    inodes = set()
    for entry in (folder / "fd").iterdir():
        try:
            inodes.add(str(entry.readlink()).removeprefix("socket:[").removesuffix("]"))
        except OSError:
            continue
    rows = [
        line.split()
        for table in ("net/tcp", "net/tcp6")
        if (folder / table).exists()  # no tcp6 where the kernel has no IPv6
        for line in (folder / table).read_text().splitlines()[1:]
    ]
    return {row[1].partition(":")[0] for row in rows if row[3] == _LISTENING and row[9] in inodes}


@linux
def test_nothing_in_the_environment_changes_what_is_measured(
    monkeypatch, folders, servers, children
):
    """And meanwhile: workers listen on loopback alone, and their folder is private."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        monkeypatch.setenv("MASTER_PORT", str(taken.getsockname()[1]))
        monkeypatch.setenv("MASTER_ADDR", "192.0.2.1")
        monkeypatch.setenv("OMP_NUM_THREADS", "64")
        monkeypatch.setenv("TORCH_DISTRIBUTED_DEBUG", "DETAIL")
        monkeypatch.setenv("GLOO_SOCKET_IFNAME", "nonsense0")
        seen = set()
        modes = set()
        before = set(servers(os.getpid()))

        def look(_):
            (server,) = set(servers(os.getpid())) - before
            modes.update(stat.S_IMODE(folder.stat().st_mode) for folder in folders())
            for worker in children(server):
                seen.update(listening_addresses(worker))

        with LocalWorld() as world:
            evidence = world.run(all_reduce(ranks=4), look)
    assert sent(evidence) == [SENT] * 4
    assert seen == {"0100007F"}, "127.0.0.1 and nothing else"
    assert modes == {0o700}
    assert folders() == []
    assert set(servers(os.getpid())) == before


def test_the_server_inherits_nothing_that_matters():
    environment = environment_for_server({"OMP_NUM_THREADS": "64", "GLOO_X": "1", "HOME": "/h"})
    assert environment["OMP_NUM_THREADS"] == "1"
    assert environment["HOME"] == "/h"
    assert "GLOO_X" not in environment
    assert environment_for_server({})["OMP_NUM_THREADS"] == "1"


def test_a_step_inside_a_window_is_not_counted(world, request_for):
    body = """
        meet()
        with rank.wire.window() as wire:
            rank.step("inside " + "x" * 1000)
            meet()
        if wire.unmeasured is not None:
            raise RuntimeError(wire.unmeasured.reason.en)
        return FINE
    """
    world.run(request_for(body))


def test_progress_tells_each_rank_and_step(world, request_for):
    told = []
    world.run(request_for("rank.step('half way')\nreturn FINE"), told.append)
    for rank in range(2):
        assert [p.step for p in told if p.rank == rank] == ["joined", "running", "half way"]
    assert {p.ranks for p in told} == {2}


def test_warming_waits_neither_for_torch_nor_for_a_run(world, request_for):
    started = time.monotonic()
    with LocalWorld() as cold:
        cold.warm()
        assert time.monotonic() - started < 0.5
    running = threading.Event()
    thread = threading.Thread(
        target=world.run,
        args=(request_for("time.sleep(0.6)\nreturn FINE"), lambda _: running.set()),
    )
    thread.start()
    assert running.wait(30)
    started = time.monotonic()
    world.warm()
    assert time.monotonic() - started < 0.3
    thread.join()


@linux
def test_a_killed_server_is_told_and_replaced(
    request_for, servers, children, gone, eventually, folders
):
    request = request_for("time.sleep(1000) if rank.index else meet()")
    before = set(servers(os.getpid()))
    with LocalWorld() as world:
        workers = []

        def kill(progress):
            if progress.step == "running" and not workers:
                (server,) = set(servers(os.getpid())) - before
                workers.extend(children(server))
                os.kill(server, signal.SIGKILL)

        with pytest.raises(RunFailed, match="the worker server is gone: it ended during a run"):
            world.run(request, kill)
        assert len(workers) == 2
        assert eventually(lambda: gone(*workers))
        assert folders() == []
        assert sent(world.run(all_reduce(ranks=2, payload="1 MiB")))


def test_closing_breaks_off_the_run_of_another_thread(request_for, eventually):
    world = LocalWorld()
    running = threading.Event()
    failures = []

    def run():
        try:
            world.run(request_for("time.sleep(1000)"), lambda _: running.set())
        except RunFailed as failure:
            failures.append(failure)

    thread = threading.Thread(target=run)
    thread.start()
    assert running.wait(60)
    world.close()
    thread.join(5)
    assert not thread.is_alive()
    assert len(failures) == 1


def test_six_runs_on_two_worlds_at_once(world):
    with LocalWorld() as other:
        results = []

        def run(chosen):
            evidence = chosen.run(all_reduce(ranks=3, payload="1 MiB"))
            results.append(set(sent(evidence)))

        threads = [threading.Thread(target=run, args=(w,)) for w in (world, other) * 3]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    # 2·(2/3)·1 MiB + 144·2·(6 − 2), less than a message's worth for the uneven division.
    assert len(results) == 6
    assert all(abs(s - (1_398_101 + 1_152)) <= 28 for result in results for s in result)


def test_torch_that_cannot_be_loaded_is_told_in_one_line(tmp_path, monkeypatch):
    broken = tmp_path / "broken" / "torch"
    broken.mkdir(parents=True)
    (broken / "__init__.py").write_text("raise ImportError('libgomp.so.1: cannot open')")
    monkeypatch.setattr(sys, "path", [str(broken.parent), *sys.path])
    with LocalWorld() as world, pytest.raises(RunFailed) as caught:
        world.run(all_reduce())
    assert caught.value.render("en").splitlines() == [
        "the worker server is gone: it ended while starting.",
        "  ImportError: libgomp.so.1: cannot open",
    ]
    assert "起動の途中" in caught.value.render("ja")


def test_without_torch_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr("verify.worlds.warm.find_spec", lambda _: None)
    with pytest.raises(NotInstalled, match="Proving needs torch") as caught:
        LocalWorld().warm()
    assert "proofdeck[verify]" in caught.value.hint.en
