"""No experiment lets torch unpickle what another rank sent: its port is open to others too."""

from __future__ import annotations

import pytest

TOGETHER = [  # on four ranks, one after the other in one world
    ("pipeline-bubble", {"stages": 4, "wait": 0}),
    ("pipeline-bubble", {"stages": 4, "wait": 0, "schedule": "dualpipev"}),
    ("pipeline-bubble", {"stages": 4, "wait": 0, "schedule": "interleaved-1f1b"}),
    ("pipeline-memory", {}),
    ("hybrid-mesh", {"tensor": 1}),
    ("tensor-parallel-layer", {}),
    ("data-parallel-step", {}),
    ("sharded-data-parallel", {}),
    ("memory-held", {}),
    ("throughput", {}),
]
BODY = """
import torch.distributed.distributed_c10d as c10d
from verify.catalogue import find_experiment

def refuse(*_, **__):
    raise RuntimeError("unpickled")

c10d._unpickler = refuse
{control}
for name, given in {together!r}:
    experiment = find_experiment(name)
    parameters = experiment.bind(given)
    assert experiment.world_size(parameters) == rank.size, name
    experiment.run(rank, parameters)
return FINE
"""


def test_no_experiment_unpickles(world, request_for):
    world.run(request_for(BODY.format(control="", together=TOGETHER), ranks=4, deadline=120))


def test_and_it_would_be_noticed(world, request_for):
    control = "c10d.broadcast_object_list([rank.index])"
    with pytest.raises(Exception, match="unpickled"):
        world.run(request_for(BODY.format(control=control, together=[]), ranks=2))
