"""One training step of a small model through a pipeline of ranks, by torch's own schedules.

The stages are ordinary `PipelineStage`s. Around each of their operations lies a span on the
timeline, which is how we know what ran, in which order and for how long.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.pipelining import PipelineStage
from torch.distributed.pipelining.schedules import get_schedule_class

from verify.pipelines import PipelineSchedule
from verify.probes.replay import UNITS, Kind
from verify.probes.timeline import Timeline, seconds_of

_STALE_RATE = 0.1
_PRODUCT_SIDE = 256  # of the square matrices that real work multiplies


@dataclass(frozen=True)
class Problem:
    """A model of equal layers, one per stage, and one batch for it; the same on every rank."""

    layers: Sequence[nn.Module]
    inputs: torch.Tensor  # batch × hidden, float64
    targets: torch.Tensor  # batch × hidden, float64

    @classmethod
    def draw(cls, layers: int, batch: int, hidden: int, seed: int, device: str) -> Problem:
        """Fresh parameters and data from `seed`."""
        generator = torch.Generator().manual_seed(seed)

        def random(*shape: int) -> torch.Tensor:
            return torch.randn(*shape, generator=generator, dtype=torch.float64).to(device)

        model = [
            _layer(random(hidden, hidden) / hidden**0.5, random(hidden)) for _ in range(layers)
        ]
        return cls(model, random(batch, hidden), random(batch, hidden))

    def reference(self) -> list[list[torch.Tensor]]:
        """Each layer's gradients by one process on the whole batch. Leaves no gradient behind."""
        output = self.inputs
        for layer in self.layers:
            output = layer(output)
        parameters = [list(layer.parameters()) for layer in self.layers]
        flat = [p for layer in parameters for p in layer]
        gradients = iter(torch.autograd.grad(loss(output, self.targets), flat))
        return [[next(gradients) for _ in layer] for layer in parameters]


def _layer(weight: torch.Tensor, bias: torch.Tensor) -> nn.Module:
    linear = nn.Linear(len(weight), len(weight), device=weight.device, dtype=weight.dtype)
    with torch.no_grad():
        linear.weight.copy_(weight)
        linear.bias.copy_(bias)
    return nn.Sequential(linear, nn.Tanh())


def loss(output: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """Mean squared error: a mean over the microbatch, so that the step must average over them."""
    return nn.functional.mse_loss(output, target)


def make_stage(
    layers: nn.Module,
    index: int,
    stages: int,
    example: torch.Tensor,
    group: dist.ProcessGroup | None = None,
) -> PipelineStage:
    """A stage whose input and output are shaped as `example`, one microbatch.

    Told nothing, torch has neighbours tell each other their shapes as pickles, which whoever
    reaches a rank's port could write too.
    """

    def shaped(requires_grad: bool) -> torch.Tensor:
        return torch.empty_like(example, device="meta").requires_grad_(requires_grad)

    return PipelineStage(
        layers,
        index,
        stages,
        example.device,
        input_args=shaped(requires_grad=index > 0),
        output_args=shaped(requires_grad=True),
        group=group,
    )


@dataclass
class Pipeline:
    """This rank's stages and the schedule that drives them.

    `serial` runs one microbatch after the other, which is no pipeline any more; `average` divides
    the accumulated gradient by the number of microbatches.
    """

    stages: list[PipelineStage]
    schedule: Any  # torch's schedules share no public type
    microbatches: int
    serial: bool
    average: bool
    messages: list[int] = field(default_factory=list)  # bytes of each one that this rank sent
    first: int = 0  # the microbatch that the schedule calls 0

    @classmethod
    def build(
        cls,
        plan: PipelineSchedule,
        problem: Problem,
        microbatches: int,
        *,
        rank: int,
        ranks: int,
        serial: bool = False,
        average: bool = True,
    ) -> Pipeline:
        """The stages of one rank with their schedule; nothing is sent yet."""
        rows = len(problem.inputs) // microbatches
        stages = [
            make_stage(problem.layers[index], index, len(problem.layers), problem.inputs[:rows])
            for index in plan.stages_of(rank, ranks)
        ]
        name = _serial_name(plan) if serial else plan.torch_name
        schedule = get_schedule_class(name)(
            stages[0] if plan.virtual == 1 else stages,
            1 if serial else microbatches,
            loss_fn=loss,
            scale_grads=average,
        )
        return cls(stages, schedule, microbatches, serial, average)

    def parameters(self) -> list[nn.Parameter]:
        """Those that this rank holds."""
        return [p for stage in self.stages for p in stage.submod.parameters()]

    def step(self, problem: Problem) -> None:
        """Forward and backward of the whole batch. Gradients accumulate: zero them before."""
        if not self.serial:
            self._pass(problem.inputs, problem.targets)
            return
        pieces = zip(
            problem.inputs.chunk(self.microbatches),
            problem.targets.chunk(self.microbatches),
            strict=True,
        )
        for self.first, (inputs, targets) in enumerate(pieces):
            self._pass(inputs, targets)
        if self.average:
            for parameter in self.parameters():
                assert parameter.grad is not None
                parameter.grad /= self.microbatches

    def warm_up(self, problem: Problem) -> None:
        """A first step, which opens the connections; leaves no gradient behind."""
        pieces = self.microbatches if self.serial else 1
        self._pass(problem.inputs.chunk(pieces)[0], problem.targets.chunk(pieces)[0])
        for parameter in self.parameters():
            parameter.grad = None

    def _pass(self, inputs: torch.Tensor, targets: torch.Tensor) -> None:
        arguments = (inputs,) if any(stage.is_first for stage in self.stages) else ()
        target = targets if any(stage.is_last for stage in self.stages) else None
        self.schedule.step(*arguments, target=target, return_outputs=False)

    def observe(self, timeline: Timeline, pace: Pace, *, stale: bool = False) -> None:
        """From now on, record every operation and message, and give operations their pace.

        With `stale` a stage updates its parameters after each backward, while other microbatches
        are still under way: their gradients then belong to parameters of different ages.
        """
        for stage in self.stages:
            self._observe(stage, timeline, pace, stale)

    def _observe(self, stage: PipelineStage, timeline: Timeline, pace: Pace, stale: bool) -> None:
        forward, backward = stage.forward_one_chunk, stage.backward_one_chunk
        weight = stage.backward_weight_one_chunk
        sends = stage.get_fwd_send_ops, stage.get_bwd_send_ops
        receives = stage.get_fwd_recv_ops, stage.get_bwd_recv_ops
        asked: dict[tuple[bool, int], float] = {}  # when a message was asked for

        @contextmanager
        def operation(kind: Kind, chunk: int) -> Iterator[None]:
            seconds, work = pace.of(kind)
            since = None if kind is Kind.WEIGHT else asked.pop((kind is Kind.FORWARD, chunk), None)
            if since is not None:
                timeline.since(since, "R", stage.stage_index, self.first + chunk)
            with timeline.span(kind, stage.stage_index, self.first + chunk, at_least=seconds):
                yield
                work()
            if stale and kind in (Kind.BACKWARD, Kind.WEIGHT):
                for parameter in stage.submod.parameters():
                    assert parameter.grad is not None
                    # .data hides the change from autograd, which would refuse it. The gradient is
                    # a sum by now: its mean, and one of m such updates, lest the model diverges.
                    rate = _STALE_RATE / self.microbatches**2
                    parameter.data.sub_(parameter.grad, alpha=rate)

        def forward_one_chunk(chunk: int, *arguments: Any, **options: Any) -> Any:
            with operation(Kind.FORWARD, chunk):
                return forward(chunk, *arguments, **options)

        def backward_one_chunk(
            chunk: int, loss: Any = None, full_backward: bool = True, **options: Any
        ) -> None:
            with operation(Kind.BACKWARD if full_backward else Kind.INPUT, chunk):
                backward(chunk, loss=loss, full_backward=full_backward, **options)

        def backward_weight_one_chunk(chunk: int, **options: Any) -> None:
            with operation(Kind.WEIGHT, chunk):
                weight(chunk, **options)

        def counted(get_operations: Callable[[int], Any]) -> Callable[[int], Any]:
            def send_operations(chunk: int) -> Any:
                operations = get_operations(chunk)
                self.messages.extend(o.tensor.nbytes for o in operations)
                return operations

            return send_operations

        def noted(get_operations: Callable[[int], Any], forward: bool) -> Callable[[int], Any]:
            def receive_operations(chunk: int) -> Any:
                operations = get_operations(chunk)
                if operations:
                    asked[forward, chunk] = time.monotonic()
                return operations

            return receive_operations

        replaced = {
            "forward_one_chunk": forward_one_chunk,
            "backward_one_chunk": backward_one_chunk,
            "backward_weight_one_chunk": backward_weight_one_chunk,
            "get_fwd_send_ops": counted(sends[0]),
            "get_bwd_send_ops": counted(sends[1]),
            "get_fwd_recv_ops": noted(receives[0], forward=True),
            "get_bwd_recv_ops": noted(receives[1], forward=False),
        }
        for name, function in replaced.items():
            setattr(stage, name, function)


def _serial_name(plan: PipelineSchedule) -> str:
    """A schedule that takes a single microbatch, over the same stages."""
    if plan.v_shaped:
        return "ZBVZeroBubble"
    return "GPipe" if plan.virtual == 1 else "LoopedBFS"


@dataclass(frozen=True)
class Pace:
    """How long an operation takes beside the model's own small products.

    Timed: it waits until `seconds` have passed for each unit of work. Real: it does `products`
    matrix products for each unit.
    """

    seconds: float = 0.0
    products: int = 0

    def of(self, kind: Kind) -> tuple[float, Callable[[], None]]:
        """The least seconds of an operation of this kind, and the work that it does."""
        units = UNITS[kind]

        def work() -> None:
            for _ in range(units * self.products):
                _multiply()

        return units * self.seconds, work

    @classmethod
    def real(cls, seconds: float) -> Pace:
        """As many products as take `seconds` on this machine now, with nothing else running."""
        _multiply()
        return cls(products=round(seconds / seconds_of(_multiply, 10)))


@cache
def _square() -> torch.Tensor:
    return torch.ones(_PRODUCT_SIDE, _PRODUCT_SIDE)


def _multiply() -> None:
    torch.mm(_square(), _square())


def relative_difference(
    gradients: Sequence[torch.Tensor], reference: Sequence[torch.Tensor]
) -> float:
    """‖g − r‖∞ / ‖r‖∞ over all parameters joined (single ones may be zero by theory)."""
    ours = torch.cat([g.reshape(-1) for g in gradients])
    theirs = torch.cat([r.reshape(-1) for r in reference])
    return float((ours - theirs).abs().max() / theirs.abs().max())
