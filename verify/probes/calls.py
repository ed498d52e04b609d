"""The calls probe: every collective and point-to-point call that torch.distributed makes.

A dispatch mode sees an operator of `c10d` for each call, also those that DistributedDataParallel,
a pipeline's schedule or an autograd function make, as long as the window is open while they make
them. What it yields is logical sizes, counted: what really went over the wire, the wire probe says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from verify.quantities import Reading, Readings, Source

if TYPE_CHECKING:
    from torch.utils._python_dispatch import TorchDispatchMode

# Operators of c10d and of its functional twin, less a trailing underscore: the same call has
# several names.
_OPERATIONS = {
    "allreduce": "all_reduce",
    "allreduce_coalesced": "all_reduce",
    "all_reduce_coalesced": "all_reduce",
    "allgather": "all_gather",
    "allgather_coalesced": "all_gather",
    "allgather_into_tensor_coalesced": "all_gather",
    "_allgather_base": "all_gather",
    "all_gather_into_tensor": "all_gather",
    "all_gather_into_tensor_out": "all_gather",
    "all_gather_into_tensor_coalesced": "all_gather",
    "reduce_scatter_tensor": "reduce_scatter",
    "reduce_scatter_tensor_out": "reduce_scatter",
    "reduce_scatter_tensor_coalesced": "reduce_scatter",
    "_reduce_scatter_base": "reduce_scatter",
    "alltoall": "all_to_all",
    "alltoall_base": "all_to_all",
    "all_to_all_single": "all_to_all",
    "recv_any_source": "recv",
    "isend": "send",
    "irecv": "recv",
    "monitored_barrier": "barrier",
}
_GIVEN = ("tensors", "tensor", "input_tensors", "input_tensor", "input_list", "inputs", "input")
_TAKEN = ("output_tensors", "output_tensor", "output_lists", "outputs", "output", "out")
_PEER = {"send": "dst", "recv": "src"}


@dataclass(frozen=True, slots=True)
class Call:
    """One call on this rank: what it hands in, or takes where it hands in nothing."""

    operation: str  # as in torch.distributed: all_reduce, all_gather, send, recv, …
    shapes: tuple[tuple[int, ...], ...]  # of each tensor
    dtype: str  # float64, …; empty without a tensor
    bytes: int  # of all tensors
    group: tuple[int, ...]  # the ranks that take part, by their global index
    peer: int | None = None  # the other end of a send or a receive, by its global index


@dataclass
class CallWindow:
    """The calls made between entering and leaving, in order."""

    records: list[Call] = field(default_factory=list)

    def count(self, operation: str, group: Sequence[int] | None = None) -> int:
        """How many calls of one kind there were; of one group only where it is given."""
        return len(self._of(operation, group))

    def bytes(self, operation: str, group: Sequence[int] | None = None) -> int:
        """The bytes of all tensors of these calls."""
        return sum(call.bytes for call in self._of(operation, group))

    def readings(self, prefix: str = "calls", *operations: str) -> Readings:
        """`calls_all_reduce` and so on: how often each operation was called.

        Without names, for every operation that was called at all.
        """
        names = operations or sorted({call.operation for call in self.records})
        return {f"{prefix}_{name}": self.reading(self.count(name)) for name in names}

    @staticmethod
    def reading(value: int) -> Reading:
        """A number drawn from this window."""
        return Reading(value, Source.COUNTED)

    def _of(self, operation: str, group: Sequence[int] | None) -> list[Call]:
        return [
            call
            for call in self.records
            if call.operation == operation and group in (None, call.group)
        ]


class Calls:
    """The probe of one rank. A window concerns this rank alone: it waits for nobody."""

    @contextmanager
    def window(self) -> Iterator[CallWindow]:
        """Record the calls made inside, in this thread and by autograd on its behalf."""
        window = CallWindow()
        with _recorder(window.records):
            yield window


def _recorder(records: list[Call]) -> TorchDispatchMode:
    import torch
    import torch.distributed as dist
    from torch._C._distributed_c10d import _resolve_process_group
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils._pytree import tree_leaves

    def group_of(arguments: dict[str, Any]) -> tuple[int, ...]:
        if "process_group" in arguments:
            group = dist.ProcessGroup.unbox(arguments["process_group"])
        elif isinstance(group := arguments["group_name"], str):
            group = _resolve_process_group(dist.GroupName(group))
        return tuple(dist.get_process_group_ranks(group))

    def tensors_of(arguments: dict[str, Any]) -> list[torch.Tensor]:
        for names in (_GIVEN, _TAKEN):
            given = [arguments[name] for name in names if name in arguments]
            if tensors := [t for t in tree_leaves(given) if isinstance(t, torch.Tensor)]:
                return tensors
        return []

    class Recorder(TorchDispatchMode):  # type: ignore[no-untyped-call] # torch leaves it so
        @classmethod
        def _should_skip_dynamo(cls) -> bool:
            """Else the first call imports all of torch._dynamo, which also writes a few bytes."""
            return False

        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            kwargs = kwargs or {}
            if func.namespace in ("c10d", "_c10d_functional"):
                names = [argument.name for argument in func._schema.arguments]
                arguments = dict(zip(names, args, strict=False)) | kwargs
                if "process_group" in arguments or "group_name" in arguments:
                    records.append(call_of(func._opname, arguments))
            return func(*args, **kwargs)

    def call_of(name: str, arguments: dict[str, Any]) -> Call:
        name = name.removesuffix("_")
        operation = _OPERATIONS.get(name, name)
        group = group_of(arguments)
        peer = arguments.get(_PEER.get(operation, ""))
        tensors = [] if operation == "barrier" else tensors_of(arguments)
        return Call(
            operation=operation,
            shapes=tuple(tuple(tensor.shape) for tensor in tensors),
            dtype=str(tensors[0].dtype).removeprefix("torch.") if tensors else "",
            bytes=sum(tensor.nbytes for tensor in tensors),
            group=group,
            peer=None if peer is None else group[peer],
        )

    return Recorder()  # type: ignore[no-untyped-call]
