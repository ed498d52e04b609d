"""The fake world: one process that stands for one rank of thousands, and counts.

torch's fake process group takes every call and sends nothing, so a step on meta tensors, which have
shapes and no contents, calls what it would call on real ranks. What comes of it is counted, never
measured: about the wire it proves nothing. Imports torch.
"""

from __future__ import annotations

import torch.distributed as dist
from torch.testing._internal.distributed.fake_pg import FakeStore

from verify.text import Text

NOTHING_SENT = Text(
    ja="fake の world は呼び出しを数えるだけで、何も送りません。送信量は実際のランクで測れます。",
    en="a fake world counts calls and sends nothing; only real ranks show what is sent.",
)


def join(size: int) -> int:
    """Join a fake world as the rank in its middle, which has neighbours on all sides; its index."""
    index = size // 2
    dist.init_process_group("fake", rank=index, world_size=size, store=FakeStore())
    return index
