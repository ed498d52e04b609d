"""The calls probe, in a world of torch's fake process group: calls are made, nothing is sent."""

from __future__ import annotations

import pytest

from verify.probes.calls import Call, Calls
from verify.quantities import Reading, Source

torch = pytest.importorskip("torch")
dist = pytest.importorskip("torch.distributed")
functional = pytest.importorskip("torch.distributed._functional_collectives")
fake = pytest.importorskip("torch.testing._internal.distributed.fake_pg")

RANKS = (0, 1, 2, 3)
X = (4, 3)  # of float64: 96 B


@pytest.fixture(autouse=True)
def _as_rank_1_of_4():
    dist.init_process_group("fake", rank=1, world_size=4, store=fake.FakeStore())
    yield
    dist.destroy_process_group()


@pytest.fixture
def x():
    return torch.ones(X, dtype=torch.float64)


def call(operation, group=RANKS, peer=None):
    return Call(operation, (X,), "float64", 96, group, peer)


def test_a_call_is_recorded_with_its_tensor_and_its_group(x):
    pair = dist.new_group([1, 3])
    with Calls().window() as calls:
        dist.all_reduce(x)
        dist.all_reduce(x, group=pair)
        dist.broadcast(x, 0)
    dist.all_reduce(x)
    assert calls.records == [
        call("all_reduce"),
        call("all_reduce", (1, 3)),
        call("broadcast"),
    ]


def test_peers_are_named_by_their_global_index(x):
    pair = dist.new_group([1, 3])
    with Calls().window() as calls:
        dist.send(x, 3, group=pair)
        dist.recv(x, 3, group=pair)
        dist.isend(x, 2).wait()
        operations = [dist.P2POp(dist.isend, x, 0), dist.P2POp(dist.irecv, x, 2)]
        for work in dist.batch_isend_irecv(operations):
            work.wait()
    assert calls.records == [
        call("send", (1, 3), 3),
        call("recv", (1, 3), 3),
        call("send", peer=2),
        call("send", peer=0),
        call("recv", peer=2),
    ]


def test_what_counts_is_what_a_rank_hands_in(x):
    whole = torch.empty(16, 3, dtype=torch.float64)
    with Calls().window() as calls:
        dist.all_gather([torch.empty_like(x) for _ in RANKS], x)
        dist.reduce_scatter(torch.empty_like(x), list(whole.chunk(4)))
        dist.all_to_all_single(torch.empty(8), torch.empty(8))
        dist.barrier()
    gathered, scattered, exchanged, barrier = calls.records
    assert gathered == call("all_gather")
    assert (scattered.operation, scattered.shapes) == ("reduce_scatter", (X,) * 4)
    assert scattered.bytes == 384
    assert exchanged == Call("all_to_all", ((8,),), "float32", 32, RANKS)
    assert barrier == Call("barrier", (), "", 0, RANKS)


def test_functional_collectives_are_the_same_calls(x):
    with Calls().window() as calls:
        functional.wait_tensor(functional.all_reduce(x, "sum", dist.group.WORLD))
    assert calls.records == [call("all_reduce")]


def test_what_autograd_calls_in_a_backward_pass_is_seen(x):
    from verify.parallel.tensor_parallel import Shard, enter

    entered = enter(x.requires_grad_(), Shard(index=1, count=4))
    with Calls().window() as calls:
        entered.sum().backward()
    assert calls.records == [call("all_reduce")]


def test_counts_bytes_and_readings(x):
    pair = dist.new_group([1, 3])
    with Calls().window() as calls:
        dist.all_reduce(x)
        dist.all_reduce(x, group=pair)
    assert calls.count("all_reduce") == 2
    assert calls.count("all_reduce", (1, 3)) == 1
    assert calls.count("send") == 0
    assert calls.bytes("all_reduce") == 192
    assert calls.bytes("all_reduce", RANKS) == 96
    assert calls.readings() == {"calls_all_reduce": Reading(2, Source.COUNTED)}
    assert calls.readings("layer", "all_reduce", "send") == {
        "layer_all_reduce": Reading(2, Source.COUNTED),
        "layer_send": Reading(0, Source.COUNTED),
    }
