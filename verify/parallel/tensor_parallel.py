"""Tensor parallelism: the matrices of a layer are divided among ranks.

All of it follows Megatron-LM (Shoeybi et al. 2019, section 3): a matrix divided by columns, then
one divided by rows, between the conjugate operators f (`_Enter`) and g (`_Leave`). Weights are
stored as torch does, transposed, so that a matrix "divided by columns" is cut along its rows here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist
from torch import nn

from verify.parallel.collectives import corrupt_one_element, stream


@dataclass(frozen=True)
class Shard:
    """One rank's part of a layer; `fault` breaks what it does on purpose."""

    index: int
    count: int
    group: dist.ProcessGroup | None = None
    fault: str | None = None
    seed: int = 0

    def all_reduce(self, tensor: torch.Tensor) -> torch.Tensor:
        """The sum of all ranks' tensors, as a new one."""
        total = tensor.clone()
        if self.count > 1 and self.fault != "skip-all-reduce":
            dist.all_reduce(total, group=self.group)
        return total


class _Enter(torch.autograd.Function):
    """f: the input as it is; backward, what all ranks' matrices say of its gradient is added up."""

    @staticmethod
    def forward(ctx: Any, inputs: torch.Tensor, shard: Shard) -> torch.Tensor:
        ctx.shard = shard
        return inputs.view_as(inputs)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, None]:
        return ctx.shard.all_reduce(gradient), None


class _Leave(torch.autograd.Function):
    """g: all ranks' partial results are added up; backward, the gradient as it is."""

    @staticmethod
    def forward(ctx: Any, partial: torch.Tensor, shard: Shard) -> torch.Tensor:
        total = shard.all_reduce(partial)
        if shard.fault == "one-element" and shard.index == 1:
            corrupt_one_element(total, shard.seed)
        return total

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, None]:
        return gradient, None


def enter(inputs: torch.Tensor, shard: Shard) -> torch.Tensor:
    """f: before matrices that are divided by columns."""
    entered: torch.Tensor = _Enter.apply(inputs, shard)  # type: ignore[no-untyped-call]
    return entered


def leave(partial: torch.Tensor, shard: Shard) -> torch.Tensor:
    """g: after a matrix that is divided by rows."""
    total: torch.Tensor = _Leave.apply(partial, shard)  # type: ignore[no-untyped-call]
    return total


class ColumnLinear(nn.Linear):
    """The outputs of a linear layer are divided: each rank computes 1/N of them from all inputs."""

    def __init__(self, inputs: int, outputs: int, shard: Shard) -> None:
        super().__init__(inputs, outputs // shard.count)
        self._shard = shard

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        return super().forward(enter(inputs, self._shard))


class RowLinear(nn.Linear):
    """The inputs of a linear layer are divided: each rank holds 1/N of them, all get the outputs.

    The bias, which every rank holds in full, is added once, after the sum.
    """

    def __init__(self, inputs: int, outputs: int, shard: Shard) -> None:
        super().__init__(inputs // shard.count, outputs)
        self._shard = shard

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        early = self._shard.fault == "row-bias-before-reduce"
        partial = nn.functional.linear(inputs, self.weight, self.bias if early else None)
        total = leave(partial, self._shard)
        return total if early else total + self.bias


class SplitMlp(nn.Module):
    """GELU between a column and a row: since it acts on each number alone, no rank must wait."""

    def __init__(self, hidden: int, width: int, shard: Shard) -> None:
        super().__init__()
        self.up = ColumnLinear(hidden, width, shard)
        self.down = RowLinear(width, hidden, shard)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        outputs: torch.Tensor = self.down(nn.functional.gelu(self.up(inputs)))
        return outputs


class SplitAttention(nn.Module):
    """Self-attention with 1/N of the heads on each rank; query, key and value share one input."""

    def __init__(self, hidden: int, heads: int, shard: Shard) -> None:
        super().__init__()
        self._heads = heads // shard.count
        self._apart = shard.fault == "separate-inputs"
        self._shard = shard
        self.query_key_value = ColumnLinear(hidden, 3 * hidden, shard)
        self.out = RowLinear(hidden, hidden, shard)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """`inputs`: (batch, sequence, hidden); so is what is returned."""
        query, key, value = (
            part.reshape(*part.shape[:-1], self._heads, -1).transpose(1, 2)
            for part in self._query_key_value(inputs)
        )
        attended = nn.functional.scaled_dot_product_attention(query, key, value)
        outputs: torch.Tensor = self.out(attended.transpose(1, 2).flatten(2))
        return outputs

    def _query_key_value(self, inputs: torch.Tensor) -> list[torch.Tensor]:
        linear = self.query_key_value
        if not self._apart:
            return list(linear(inputs).chunk(3, -1))
        return [
            nn.functional.linear(enter(inputs, self._shard), weight, bias)
            for weight, bias in zip(linear.weight.chunk(3), linear.bias.chunk(3), strict=True)
        ]


class SplitLayer(nn.Module):
    """A transformer layer that normalises before attention and before the MLP; no dropout."""

    def __init__(self, hidden: int, heads: int, width: int, shard: Shard) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(hidden), nn.LayerNorm(hidden)
        self.attention = SplitAttention(hidden, heads, shard)
        self.mlp = SplitMlp(hidden, width, shard)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """`inputs`: (batch, sequence, hidden); so is what is returned."""
        middle = inputs + self.attention(self.norm1(inputs))
        outputs: torch.Tensor = middle + self.mlp(self.norm2(middle))
        return outputs


def make_mlp(hidden: int, width: int, seed: int) -> nn.Sequential:
    """The unsplit MLP, in float64, its weights drawn by `seed`."""
    torch.manual_seed(seed)
    mlp = nn.Sequential(nn.Linear(hidden, width), nn.GELU(), nn.Linear(width, hidden))
    return mlp.double()


def make_layer(hidden: int, heads: int, width: int, seed: int) -> nn.TransformerEncoderLayer:
    """The unsplit layer, torch's own, in float64, its weights drawn by `seed`."""
    torch.manual_seed(seed)
    layer = nn.TransformerEncoderLayer(
        hidden, heads, width, dropout=0.0, activation="gelu", batch_first=True, norm_first=True
    ).double()
    with torch.no_grad():
        for parameter in layer.parameters():
            if parameter.dim() == 1:  # torch starts some biases at 0, which would hide mistakes
                parameter.add_(torch.randn_like(parameter), alpha=0.1)
    return layer


def sample(
    shape: tuple[int, ...], seed: int, device: str = "cpu"
) -> tuple[torch.Tensor, torch.Tensor]:
    """Inputs and targets, each of `shape` in float64, drawn by `seed`."""
    generator = torch.Generator().manual_seed(stream(seed, 1))
    inputs, targets = (
        torch.randn(shape, generator=generator, dtype=torch.float64).to(device) for _ in range(2)
    )
    return inputs, targets


def backward(output: torch.Tensor, targets: torch.Tensor) -> None:
    """Gradients of the mean squared error."""
    loss = nn.functional.mse_loss(output, targets)
    loss.backward()  # type: ignore[no-untyped-call] # torch leaves it so


Cut = Callable[[torch.Tensor, Shard], torch.Tensor]
Plan = Mapping[str, tuple[str, Cut]]
"""For each parameter of a split module, its name in the whole one and which part of it to take."""


def _rows(whole: torch.Tensor, shard: Shard) -> torch.Tensor:
    return whole.chunk(shard.count)[shard.index]


def _columns(whole: torch.Tensor, shard: Shard) -> torch.Tensor:
    return whole.chunk(shard.count, 1)[shard.index]


def _heads(whole: torch.Tensor, shard: Shard) -> torch.Tensor:
    return torch.cat([_rows(part, shard) for part in whole.chunk(3)])  # query, key, value


def replicated(whole: torch.Tensor, shard: Shard) -> torch.Tensor:
    """All of it, on every rank."""
    return whole


def mlp_plan(up: str, down: str, prefix: str = "") -> Plan:
    """The plan of a `SplitMlp` called `prefix` from two linear layers of the names `up`, `down`."""
    return {
        f"{prefix}up.weight": (f"{up}.weight", _rows),
        f"{prefix}up.bias": (f"{up}.bias", _rows),
        f"{prefix}down.weight": (f"{down}.weight", _columns),
        f"{prefix}down.bias": (f"{down}.bias", replicated),
    }


MLP_PLAN = mlp_plan("0", "2")
LAYER_PLAN: Plan = {
    "attention.query_key_value.weight": ("self_attn.in_proj_weight", _heads),
    "attention.query_key_value.bias": ("self_attn.in_proj_bias", _heads),
    "attention.out.weight": ("self_attn.out_proj.weight", _columns),
    "attention.out.bias": ("self_attn.out_proj.bias", replicated),
    **{name: (name, replicated) for n in (1, 2) for name in (f"norm{n}.weight", f"norm{n}.bias")},
    **mlp_plan("linear1", "linear2", "mlp."),
}


def take_part(split: nn.Module, whole: nn.Module, plan: Plan, shard: Shard) -> None:
    """Copy this rank's part of the whole module's parameters into the split one."""
    split.to(next(whole.parameters()))
    split.load_state_dict(_parts(dict(whole.named_parameters()), plan, shard))


def gradients_to_expect(
    split: nn.Module, whole: nn.Module, plan: Plan, shard: Shard
) -> list[torch.Tensor]:
    """The whole module's gradients, cut like its parameters, in the split module's order."""
    gradients = {n: p.grad for n, p in whole.named_parameters() if p.grad is not None}
    parts = _parts(gradients, plan, shard)
    return [parts[name] for name, _ in split.named_parameters()]


def replicated_size(whole: nn.Module, plan: Plan) -> int:
    """Bytes of the parameters that every rank holds in full."""
    parameters = dict(whole.named_parameters())
    return sum(parameters[name].nbytes for name, cut in plan.values() if cut is replicated)


def _parts(tensors: Mapping[str, torch.Tensor], plan: Plan, shard: Shard) -> dict[str, Any]:
    return {own: cut(tensors[name].detach(), shard) for own, (name, cut) in plan.items()}


def bias_excess(found: torch.Tensor, expected: torch.Tensor, bias: torch.Tensor) -> float:
    """How many times too often `bias` is in an output (…, hidden), by least squares."""
    error = (found - expected).detach().flatten(0, -2).mean(0)
    return (error @ bias / (bias @ bias)).item()
