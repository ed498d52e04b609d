"""Divide the two matrices of an MLP among ranks, and count what that sends.

Every rank gets the same activations. The first matrix is divided by columns: each rank computes
1/N of the intermediate features, and GELU of them, on its own. The second is divided by rows: each
rank multiplies the features that it has, and one all-reduce adds the partial results up. In the
backward pass one all-reduce adds up the gradients of the input. Nothing else is sent: the two
all-reduces lie inside the layer, and each carries as much as the layer's activations, batch ×
sequence × hidden (Megatron-LM, Shoeybi et al. 2019, section 3).

The bias of the second matrix is held by every rank and added once, after the sum. Beside it, each
rank runs the unsplit MLP in float64 and compares the output, its part of the parameters' gradients
and the gradient of the input.

---

MLP の 2 つの行列を複数のランクに分け、通信量を数えます。

どのランクも同じ活性化を受け取ります。1 つ目の行列は列で分割します。各ランクは中間の特徴
の 1/N と、その GELU を単独で計算します。2 つ目の行列は行で分割します。各ランクは自分の持つ特徴
に掛け、その部分結果を all-reduce 1 回で合計します。逆伝播では、入力の勾配を all-reduce 1 回で合
計します。通信はこれだけです。2 回の all-reduce はどちらも層の内部で起こり、1 回の量はその層の活
性化（バッチサイズ × 系列長 × 隠れ次元）と同じです（Megatron-LM、Shoeybi ほか 2019、
第 3 節）。

2 つ目の行列のバイアスは全ランクが持ち、合計した後に 1 回だけ足します。各ランクは分割しな
い MLP も float64 で計算し、出力、自分の持つパラメータの勾配、入力の勾配を比べます。
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from verify.experiment import Between, Experiment, Fault, Law
from verify.quantities import Reading, Readings, Source
from verify.text import Text
from verify.units import MiB, format_size
from verify.vocabulary import (
    PARAMETERS_HELD,
    WIRE,
    WIRE_SENT_BACKWARD,
    WIRE_SENT_FORWARD,
    Batch,
    FewRanks,
    HiddenSize,
    SequenceLength,
    per_rank,
    size,
)

if TYPE_CHECKING:
    from torch import Tensor, nn

    from verify.parallel.tensor_parallel import Plan, Shard
    from verify.worlds.rank import Rank

ELEMENT = 8  # bytes of a float64
MOST_ACTIVATIONS = 64 * MiB
MOST_PARAMETERS = 128 * MiB


@dataclass(frozen=True)
class Parameters:
    ranks: FewRanks = 4
    batch: Batch = 4
    sequence: SequenceLength = 128
    hidden: HiddenSize = 240
    expansion: Annotated[
        int,
        Between(1, 8),
        Text(
            ja="中間の特徴数（隠れ次元に対する倍率）",
            en="intermediate features per hidden one",
        ),
    ] = 4


def run(rank: Rank, parameters: Parameters) -> Readings:
    from verify.parallel import tensor_parallel as parallel

    p = parameters
    shard = parallel.Shard(rank.index, rank.size, fault=rank.fault, seed=rank.seed)
    width = p.expansion * p.hidden
    whole = parallel.make_mlp(p.hidden, width, rank.seed).to(rank.device)
    split = parallel.SplitMlp(p.hidden, width, shard)
    readings, found, expected = measure(
        rank, split, whole, parallel.MLP_PLAN, shard, (p.batch, p.sequence, p.hidden)
    )
    excess = parallel.bias_excess(found, expected, split.down.bias)
    return {**readings, "bias_excess": Reading(excess, Source.MEASURED)}


def measure(
    rank: Rank, split: nn.Module, whole: nn.Module, plan: Plan, shard: Shard, shape: tuple[int, ...]
) -> tuple[Readings, Tensor, Tensor]:
    """One pass of a divided module and of the whole one: readings, and both outputs."""
    from verify.parallel.measures import (
        bytes_of,
        gradients_of,
        joined,
        relative_difference,
        size_of,
    )
    from verify.parallel.tensor_parallel import (
        backward,
        gradients_to_expect,
        replicated_size,
        sample,
        take_part,
    )

    take_part(split, whole, plan, shard)
    inputs, targets = sample(shape, rank.seed, rank.device)
    own, alone = (inputs.clone().requires_grad_() for _ in range(2))
    split(inputs[:1])  # opens the connections
    with rank.wire.window() as forward_wire, rank.calls.window() as forward_calls:
        output = split(own)
    with rank.wire.window() as backward_wire, rank.calls.window() as backward_calls:
        backward(output, targets)
    expected = whole(alone)
    backward(expected, targets)

    assert own.grad is not None
    assert alone.grad is not None
    found_gradient = joined([*gradients_of(split), own.grad])
    expected_gradient = joined([*gradients_to_expect(split, whole, plan, shard), alone.grad])
    counted = {
        "activation": bytes_of([output]),
        "element": output.element_size(),
        "calls_forward": forward_calls.count("all_reduce"),
        "calls_backward": backward_calls.count("all_reduce"),
        "parameters_held": size_of(split),
        "parameters_total": size_of(whole),
        "parameters_replicated": replicated_size(whole, plan),
    }
    measured = {
        "output_difference": relative_difference(output, expected),
        "gradient_difference": relative_difference(found_gradient, expected_gradient),
    }
    readings: Readings = {
        **(forward_wire + backward_wire).readings(),
        "wire_sent_forward": forward_wire.reading(sum(forward_wire.sent)),
        "wire_sent_backward": backward_wire.reading(sum(backward_wire.sent)),
        **{name: Reading(value, Source.COUNTED) for name, value in counted.items()},
        **{name: Reading(value, Source.MEASURED) for name, value in measured.items()},
    }
    return readings, output, expected


def refuse(parameters: Parameters) -> Text | None:
    """What can't be divided, or wouldn't fit."""
    p = parameters
    if p.hidden % p.ranks:
        return Text(
            ja=f"hidden={p.hidden} は ranks={p.ranks} で割り切れません。"
            f"{p.ranks} の倍数にしてください。",
            en=f"hidden={p.hidden} can't be divided among ranks={p.ranks};"
            f" choose a multiple of {p.ranks}.",
        )
    if (size := p.batch * p.sequence * p.hidden * p.expansion * ELEMENT) > MOST_ACTIVATIONS:
        return Text(
            ja="batch × sequence × hidden × expansion が大きすぎます: "
            "中間の活性化は {size}、上限は {most} です。",
            en="batch × sequence × hidden × expansion is too large: the intermediate features"
            " would take {size}, at most {most} are possible.",
        ).fill(size=format_size(size), most=format_size(MOST_ACTIVATIONS))
    if (size := 2 * p.expansion * p.hidden**2 * ELEMENT) > MOST_PARAMETERS:
        return Text(
            ja="expansion × hidden² が大きすぎます: パラメータは {size}、上限は {most} です。",
            en="expansion × hidden² is too large: the parameters would take {size},"
            " at most {most} are possible.",
        ).fill(size=format_size(size), most=format_size(MOST_PARAMETERS))
    return None


def _expected_seconds(p: Parameters) -> float:
    """Measured on two cores; every rank also runs the whole MLP."""
    operations = 12 * p.batch * p.sequence * p.hidden**2 * p.expansion * (p.ranks + 1)
    return 0.3 + 0.03 * p.ranks + operations / 20e9


# Below this the headers of the messages (288 B × ranks for each A) are more than 1 %.
LARGE = "batch*sequence*hidden >= 4096*ranks"

QUANTITIES = (
    size("activation", "層の出力の活性化の量", "bytes of the layer's output activations"),
    size("element", "要素 1 つの大きさ", "size of one element"),
    *WIRE,
    WIRE_SENT_FORWARD,
    WIRE_SENT_BACKWARD,
    per_rank(
        "calls_forward", "順伝播での all-reduce の回数", "number of all-reduces in the forward pass"
    ),
    per_rank(
        "calls_backward",
        "逆伝播での all-reduce の回数",
        "number of all-reduces in the backward pass",
    ),
    per_rank(
        "output_difference",
        "分割しない層の出力との相対差",
        "relative difference from the unsplit layer's output",
    ),
    per_rank(
        "gradient_difference",
        "分割しない層の勾配との相対差",
        "relative difference from the unsplit layer's gradient",
    ),
    PARAMETERS_HELD,
    size("parameters_total", "層全体のパラメータの量", "bytes of the whole layer's parameters"),
    size(
        "parameters_replicated",
        "全ランクが同じものを持つパラメータの量",
        "bytes of the parameters that every rank holds",
    ),
)

SKIP_ALL_REDUCE = Fault(
    "skip-all-reduce",
    Text(
        ja="all-reduce を行わず、各ランクが自分の部分結果を使います。",
        en="The all-reduces are left out: each rank uses its own partial results.",
    ),
)
ROW_BIAS_BEFORE_REDUCE = Fault(
    "row-bias-before-reduce",
    Text(
        ja="行で分割した行列のバイアスを、合計する前に全ランクで足します。",
        en="Every rank adds the bias of the matrix divided by rows before the sum.",
    ),
)
ONE_ELEMENT = Fault(
    "one-element",
    Text(
        ja="ランク 1 で、順伝播の all-reduce の結果の要素を 1 つだけ壊します。",
        en="One element of what rank 1 gets from a forward all-reduce is corrupted.",
    ),
)


def laws(all_reduces: int) -> tuple[Law, ...]:
    """The laws of a layer with so many all-reduces in each pass."""
    times, ja, en = {1: ("", "1 回", "once"), 2: ("2*", "2 回", "twice")}[all_reduces]
    return (
        Law(
            "activation == batch*sequence*hidden*element",
            Text(
                ja="層の出力は、バッチサイズ × 系列長 × 隠れ次元 × 要素の大きさです。",
                en="The layer's output has batch × sequence × hidden elements.",
            ),
        ),
        Law(
            f"calls_forward == {all_reduces}",
            Text(ja=f"順伝播の all-reduce は {ja}です。", en=f"Forward, it all-reduces {en}."),
            fault="skip-all-reduce",
        ),
        Law(
            f"calls_backward == {all_reduces}",
            Text(ja=f"逆伝播の all-reduce も {ja}です。", en=f"Backward, it all-reduces {en} too."),
            fault="skip-all-reduce" if all_reduces == 1 else "separate-inputs",
        ),
        Law(
            f"wire_sent_forward == {times}2*(ranks-1)/ranks*activation ± 1%",
            Text(
                ja=f"順伝播では、活性化の all-reduce {ja}分を送ります。",
                en=f"The forward pass sends what all-reducing the activations {en} costs.",
            ),
            when=LARGE,
            fault="skip-all-reduce",
        ),
        Law(
            f"wire_sent_backward == {times}2*(ranks-1)/ranks*activation ± 1%",
            Text(
                ja=f"逆伝播でも、活性化の all-reduce {ja}分を送ります。",
                en="The backward pass sends as much again.",
            ),
            when=LARGE,
            fault="skip-all-reduce",
        ),
        Law(
            "wire_received == wire_sent ± 1% of activation",
            Text(
                ja="各ランクは送った分だけ受け取ります。",
                en="Each rank receives as much as it sends.",
            ),
            when=LARGE,
        ),
        Law(
            "output_difference < 1e-12",
            Text(
                ja="どのランクの出力も、分割しない層と同じです。",
                en="Every rank's output is the unsplit layer's.",
            ),
            fault="row-bias-before-reduce",
        ),
        Law(
            "gradient_difference < 1e-12",
            Text(
                ja="各ランクの勾配は、分割しない層の勾配の対応する部分と同じです。",
                en="Every rank's gradient is its part of the unsplit layer's.",
            ),
            fault="one-element",
        ),
        Law(
            "parameters_held == (parameters_total-parameters_replicated)/ranks"
            " + parameters_replicated",
            Text(
                ja="パラメータは 1/N ずつ持ち、分割しないものだけを全ランクが持ちます。",
                en="Each rank holds 1/N of the parameters, and in full only what isn't divided.",
            ),
        ),
    )


experiment = Experiment(
    "tensor-parallel-mlp",
    Parameters,
    run,
    quantities=(
        *QUANTITIES,
        per_rank(
            "bias_excess",
            "行のバイアスを余分に足した回数",
            "how many times too often the row bias was added",
        ),
    ),
    laws=(
        *laws(1),
        Law(
            "abs(bias_excess) < 1e-12",
            Text(
                ja="行のバイアスは、合計した後に 1 回だけ足されています。",
                en="The row bias was added once, after the sum.",
            ),
            fault="row-bias-before-reduce",
        ),
    ),
    faults=(SKIP_ALL_REDUCE, ROW_BIAS_BEFORE_REDUCE, ONE_ELEMENT),
    title=Text(ja="テンソル並列の MLP", en="An MLP under tensor parallelism"),
    refuse=refuse,
    expected_seconds=_expected_seconds,
    on_device=True,
)
