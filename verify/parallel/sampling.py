"""Which samples a rank is dealt."""

from __future__ import annotations

import torch.distributed as dist
from torch.utils.data.distributed import DistributedSampler


def dealt(samples: int, *, drop_last: bool, fault: str | None = None) -> list[int]:
    """The indices that DistributedSampler deals to this rank, in order, without a shuffle."""
    if fault == "no-sampler":
        return list(range(samples))
    if fault == "no-padding":
        return list(range(samples))[dist.get_rank() :: dist.get_world_size()]
    sampler: DistributedSampler[int] = DistributedSampler(
        range(samples),  # type: ignore[arg-type] # anything with a length serves
        rank=0 if fault == "same-rank" else None,
        shuffle=False,
        drop_last=drop_last,
    )
    return list(sampler)
