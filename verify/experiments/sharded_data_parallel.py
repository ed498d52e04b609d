"""Data parallelism that divides parameters, gradients and optimizer state among the ranks.

The model is a small perceptron in float64. Of each layer a rank keeps one piece in N, of the
gradient and of the optimizer's momentum as well. A layer's whole parameters are gathered just
before its forward. With `reshard` they are freed after it and gathered once more for its backward;
without, they stay until then. Each rank takes the gradient of its own samples; a reduce-scatter
averages it, and a rank gets just the piece that it updates. This is ZeRO's stage 3 (Rajbhandari et
al., 2020) and what FSDP does.

In units of (N − 1)/N of the parameters' bytes, a rank sends 1 for each gathering and 1 for the
reduce-scatter: 3 with resharding, 2 without, as much as an all-reduce.

That is with a true reduce-scatter (reduce_scatter=direct: an all-to-all and a local sum). gloo's
own sends as much as an all-reduce, 2 instead of 1.

Each rank compares its piece of the gradient with one process's on the samples of all ranks.
---
パラメータ・勾配・オプティマイザの状態をランクに分けて持つデータ並列です。

モデルは float64 の小さなパーセプトロンです。各ランクは、各層の N 分の 1 の断片だけを持ちます。勾配
とオプティマイザのモメンタムも同様です。層全体のパラメータは、その層の順伝播の直前に集めま
す。`reshard` では、順伝播の後に解放し、逆伝播のためにもう一度集めます。`reshard` を使わなければ、
逆伝播まで保持します。各ランクは自分のサンプルの勾配を求め、reduce-scatter で平均し、自分が更新する
断片だけを受け取ります。これは ZeRO の stage 3（Rajbhandari et al., 2020）であり、FSDP の動作です。

パラメータの量の (N − 1)/N 倍を単位とすると、1 ランクの送信量は、集めるたび
に 1、reduce-scatter で 1 です。`reshard` ありでは 3、なしでは all-reduce と同じ 2 になります。

これは本来の reduce-scatter（reduce_scatter=direct、all-to-all と手元での和）の場合で
す。gloo の reduce-scatter は all-reduce と同じだけ送るので、1 ではなく 2 になります。

各ランクは、自分の勾配の断片を、全ランクのサンプルを 1 プロセスで計算した勾配と比べます。
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from verify.experiment import Experiment, Fault, Law, OneOf
from verify.quantities import Reading, Readings, Source, Value
from verify.text import Text
from verify.vocabulary import (
    GRADIENT_DIFFERENCE,
    PARAMETERS_HELD,
    PARAMETERS_TOTAL,
    WIRE,
    WIRE_SENT_BACKWARD,
    WIRE_SENT_FORWARD,
    HiddenWidth,
    Ranks,
    SamplesPerRank,
    size,
    size_per_rank,
)

if TYPE_CHECKING:
    from verify.worlds.rank import Rank


@dataclass(frozen=True)
class Parameters:
    ranks: Ranks = 4
    batch: SamplesPerRank = 8
    hidden: HiddenWidth = 512
    reshard: Annotated[
        bool,
        Text(ja="順伝播の後に解放する", en="whole layers are freed after the forward pass"),
    ] = True
    reduce_scatter: Annotated[
        str, OneOf("direct", "gloo"), Text(ja="reduce-scatter の方法", en="kind of reduce-scatter")
    ] = "direct"


def run(rank: Rank, parameters: Parameters) -> Readings:
    import torch

    from verify.parallel import sharded
    from verify.parallel.collectives import corrupt_one_element, stream
    from verify.parallel.data_parallel import draw_samples, make_model
    from verify.parallel.measures import (
        bytes_of,
        gradients_of,
        joined,
        relative_difference,
        size_of,
    )

    p, own = parameters, slice(rank.index, None, rank.size)
    alone = make_model(p.hidden, rank.seed)
    inputs, targets = draw_samples(rank.size * p.batch, stream(rank.seed, 0))
    gathered = sharded.Gathered(keep=rank.breaks("never-free"))
    reduce = sharded.REDUCTIONS[p.reduce_scatter]
    if rank.breaks("skip-reduce-scatter"):
        reduce = sharded.own_row(rank.index)
    model = sharded.shard(
        alone,
        rank.index,
        rank.size,
        gathered,
        reshard=p.reshard,
        reduce=reduce,
    )

    def loss_of(network: torch.nn.Module, part: slice) -> torch.Tensor:
        return torch.nn.functional.mse_loss(network(inputs[part]), targets[part])

    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)

    torch.autograd.backward(loss_of(model, own))  # opens the connections
    optimizer.zero_grad()
    with rank.wire.window() as forward:
        loss = loss_of(model, own)
    with rank.wire.window() as backward:
        torch.autograd.backward(loss)
    pieces = gradients_of(model)
    if rank.breaks("one-element") and rank.index == 1:
        corrupt_one_element(pieces[0], rank.seed)
    optimizer.step()

    torch.autograd.backward(loss_of(alone, slice(None)))
    expected = sharded.pieces_of(alone, model, rank.index)
    difference = relative_difference(joined(pieces), joined(expected))
    return {
        **(forward + backward).readings(),
        "wire_sent_forward": forward.reading(sum(forward.sent)),
        "wire_sent_backward": backward.reading(sum(backward.sent)),
        "parameters_held": Reading(size_of(model), Source.COUNTED),
        "gradient_held": Reading(bytes_of(pieces), Source.COUNTED),
        "optimizer_held": Reading(bytes_of(sharded.state_of(optimizer)), Source.COUNTED),
        "gathered_most": Reading(gathered.most, Source.COUNTED),
        "largest_layer": Reading(max(map(size_of, alone)), Source.COUNTED),
        "parameters_total": Reading(size_of(alone), Source.COUNTED),
        "gradient_difference": Reading(difference, Source.MEASURED),
    }


def _expected_seconds(parameters: Parameters) -> float:
    """Measured on two cores; each rank also computes the gradient of all ranks' samples."""
    samples = parameters.ranks * (parameters.ranks + 2) * parameters.batch
    return 0.4 + 0.04 * parameters.ranks + 12 * parameters.hidden**2 * samples / 5e9


def _traffic(claim: str, ja: str, en: str, *, reshard: bool, by: str, fault: str | None) -> Law:
    # In small layers the headers of the messages show.
    only: dict[str, tuple[Value, ...]] = {"reshard": (reshard,), "reduce_scatter": (by,)}
    return Law(claim, Text(ja=ja, en=en), "hidden >= 512", fault, only)


def _held(name: str, ja: str, en: str) -> Law:
    return Law(f"{name} == parameters_total/ranks ± 1%", Text(ja=ja, en=en), _PADDED)


_PADDED = "hidden >= 128"  # pieces of smaller layers are rounded up by more than 1 %
_SHARE = "(ranks-1)/ranks*parameters_total ± 1%"

experiment = Experiment(
    "sharded-data-parallel",
    Parameters,
    run,
    quantities=(
        *WIRE,
        WIRE_SENT_FORWARD,
        WIRE_SENT_BACKWARD,
        PARAMETERS_HELD,
        size_per_rank("gradient_held", "保持する勾配の量", "bytes of gradients held"),
        size_per_rank(
            "optimizer_held", "保持するオプティマイザの状態の量", "bytes of optimizer state held"
        ),
        size_per_rank(
            "gathered_most",
            "同時に保持する、集めた層の最大量",
            "most bytes of gathered layers held at once",
        ),
        size("largest_layer", "最大の層の大きさ", "size of the largest layer"),
        PARAMETERS_TOTAL,
        GRADIENT_DIFFERENCE,
    ),
    laws=(
        _traffic(
            f"wire_sent == 3*{_SHARE}",
            "各ランクは、2 回の all-gather と 1 回の reduce-scatter で 3(N−1)/N·Ψ を送ります。",
            "Each rank sends 3(N−1)/N·Ψ: two all-gathers and a reduce-scatter.",
            reshard=True,
            by="direct",
            fault="skip-reduce-scatter",
        ),
        _traffic(
            f"wire_sent == 2*{_SHARE}",
            "解放しなければ all-gather は 1 回で、all-reduce と同じ 2(N−1)/N·Ψ です。",
            "Without resharding there is one all-gather: 2(N−1)/N·Ψ, as for an all-reduce.",
            reshard=False,
            by="direct",
            fault="skip-reduce-scatter",
        ),
        _traffic(
            f"wire_sent == 4*{_SHARE}",
            "gloo の reduce-scatter は 2 倍送るので、4(N−1)/N·Ψ になります。",
            "gloo's reduce-scatter sends twice as much: 4(N−1)/N·Ψ.",
            reshard=True,
            by="gloo",
            fault="skip-reduce-scatter",
        ),
        _traffic(
            f"wire_sent == 3*{_SHARE}",
            "gloo の reduce-scatter は 2 倍送るので、解放しなくても 3(N−1)/N·Ψ になります。",
            "gloo's reduce-scatter sends twice as much: 3(N−1)/N·Ψ even without resharding.",
            reshard=False,
            by="gloo",
            fault="skip-reduce-scatter",
        ),
        Law(
            f"wire_sent_forward == {_SHARE}",
            Text(
                ja="順伝播では、各層を 1 回ずつ集めます。",
                en="The forward pass gathers every layer once.",
            ),
            when="hidden >= 512",
        ),
        _held(
            "parameters_held",
            "各ランクが保持するパラメータは、全体の N 分の 1 です。",
            "Every rank holds one N-th of the parameters.",
        ),
        _held(
            "gradient_held",
            "各ランクが保持する勾配は、全体の N 分の 1 です。",
            "Every rank holds one N-th of the gradient.",
        ),
        _held(
            "optimizer_held",
            "各ランクが保持するモメンタムは、全体の N 分の 1 です。",
            "Every rank holds one N-th of the momentum.",
        ),
        Law(
            "gathered_most == largest_layer ± 1%",
            Text(
                ja="集めた層は使うたびに解放するので、同時に保持するのは 1 層分だけです。",
                en="Gathered layers are freed after each use: one is held at a time.",
            ),
            when=_PADDED,
            fault="never-free",
            only={"reshard": (True,)},
        ),
        Law(
            "gathered_most == parameters_total ± 1%",
            Text(
                ja="解放しないので、順伝播の終わりにはモデル全体を保持します。",
                en="Without resharding the whole model is held at the end of the forward pass.",
            ),
            when=_PADDED,
            only={"reshard": (False,)},
        ),
        Law(
            "gradient_difference < 1e-12",
            Text(
                ja="各ランクの勾配の断片は、全サンプルを 1 プロセスで計算した勾配に一致します。",
                en="Every rank's piece is that of one process's gradient over all the samples.",
            ),
            fault="one-element",
        ),
    ),
    faults=(
        Fault(
            "skip-reduce-scatter",
            Text(
                ja="勾配の reduce-scatter を行わず、各ランクが自分の勾配の断片を使います。",
                en="The reduce-scatter is left out: each rank takes its piece of its own gradient.",
            ),
        ),
        Fault(
            "never-free",
            Text(
                ja="集めた層を解放しません。",
                en="Gathered layers are never freed.",
            ),
        ),
        Fault(
            "one-element",
            Text(
                ja="ランク 1 の勾配の要素を 1 つだけ壊します。",
                en="One element of rank 1's gradient is corrupted.",
            ),
        ),
    ),
    title=Text(ja="シャーディングするデータ並列（FSDP）", en="Sharded data parallelism (FSDP)"),
    expected_seconds=_expected_seconds,
)
