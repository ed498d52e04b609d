"""What each rank holds of one model in training, by the way it is divided.

A model of equal MLPs (hidden → 4·hidden → hidden, GELU, float64) is trained with Adam on one batch
by one of five methods:

- data: every rank holds the whole model and takes 1/N of the batch
- tensor: every rank holds 1/N of each layer and takes the whole batch
- pipeline: every rank holds consecutive whole layers; the batch flows in four microbatches (GPipe)
- hybrid: two replicas, each divided as in `tensor` among N/2 ranks, half of the batch for each
- sharded: every rank holds 1/N of each layer's parameters and takes 1/N of the batch; a layer is
  gathered whole for the moment in which it is used (ZeRO stage 3, FSDP)

It is measured in the second step, when the forward passes are over and nothing is let go yet: the
parameters, the gradients, Adam's two averages, and what autograd saved for the backward passes. For
`sharded` the largest part that was gathered at once is added. Buffers of messages don't count. The
gradients of the first step are compared with those of one process on the whole batch.
---
1 つのモデルを学習するとき、分け方によって各ランクが何をどれだけ保持するかを測ります。

同じ形の MLP(隠れ層 → 4 倍 → 隠れ層、GELU、float64)を重ねたモデルを、1 つのバッチに対して Adam で
学習します。方法は次の 5 つから選びます。

- data: 全ランクがモデル全体を持ち、バッチを 1/N ずつ受け持つ
- tensor: 各ランクがどの層も 1/N ずつ持ち、バッチ全体を受け持つ
- pipeline: 各ランクが連続する層を丸ごと持ち、バッチを 4 つのマイクロバッチに分けて流す(GPipe)
- hybrid: 複製を 2 つ作り、それぞれを N/2 ランクで tensor のように分け、バッチを半分ずつ受け持つ
- sharded: 各ランクがどの層のパラメータも 1/N ずつ持ち、バッチを 1/N ずつ受け持つ。層は使う間だけ
  全体を集める(ZeRO ステージ 3、FSDP)

測るのは 2 ステップ目の順伝播がすべて終わり、まだ何も手放していない時点です。パラメータ、勾配、
Adam の 2 つの移動平均、autograd が逆伝播のために保存したものを数えます。sharded では、一時に
集めた最大量も加えます。通信のバッファは数えません。1 ステップ目の勾配は、バッチ全体を 1 プロセスで
計算したものと比べます。
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from verify.experiment import Between, Experiment, Fault, Law, OneOf
from verify.probes.memory import reading
from verify.quantities import Reading, Readings, Source
from verify.text import Text
from verify.units import Bytes, GiB, KiB, MiB
from verify.vocabulary import (
    GRADIENT_DIFFERENCE,
    PARAMETERS_HELD,
    PARAMETERS_TOTAL,
    Ranks,
    per_rank,
    size,
    size_per_rank,
)

if TYPE_CHECKING:
    from verify.worlds.rank import Rank

_METHODS = ("data", "tensor", "pipeline", "hybrid", "sharded")
_MICROBATCHES = 4
_BUDGET = Bytes(3 * MiB)


@dataclass(frozen=True)
class Parameters:
    ranks: Ranks = 4
    method: Annotated[str, OneOf(*_METHODS), Text(ja="分け方", en="method")] = "data"
    layers: Annotated[int, Between(1, 16), Text(ja="層数", en="number of layers")] = 4
    hidden: Annotated[int, Between(16, 256), Text(ja="隠れ層の幅", en="hidden size")] = 64
    batch: Annotated[
        int, Between(4, 1024), Text(ja="バッチのサンプル数", en="samples in a batch")
    ] = 128
    budget: Annotated[
        Bytes, Between(KiB, GiB), Text(ja="1 ランクのメモリ予算", en="a rank's memory budget")
    ] = _BUDGET


def refuse(parameters: Parameters) -> Text | None:
    """What can't be divided equally."""
    ranks, method = parameters.ranks, parameters.method
    if method == "hybrid" and (ranks < 4 or ranks % 2):
        return Text(
            ja=f"hybrid には 4 以上の偶数の ranks が必要です(ranks={ranks})。",
            en=f"hybrid needs an even number of at least 4 ranks, not ranks={ranks}.",
        )
    parts = {"data": ranks, "sharded": ranks, "pipeline": _MICROBATCHES, "hybrid": 2}.get(method, 1)
    if parameters.batch % parts:
        return Text(
            ja=f"batch={parameters.batch} は {parts} 等分できません({method})。",
            en=f"batch={parameters.batch} can't be divided into {parts} equal parts ({method}).",
        )
    splits = {"tensor": ranks, "hybrid": ranks // 2}.get(method, 1)
    if 4 * parameters.hidden % splits:
        return Text(
            ja=f"4 × hidden = {4 * parameters.hidden} は {splits} 等分できません({method})。",
            en=f"4 × hidden = {4 * parameters.hidden} can't be divided into {splits} equal parts "
            f"({method}).",
        )
    return None


def run(rank: Rank, parameters: Parameters) -> Readings:
    import torch

    from verify.parallel.holdings import SHARES, Problem
    from verify.parallel.measures import bytes_of, joined, relative_difference, size_of

    problem = Problem.draw(parameters.layers, parameters.batch, parameters.hidden, rank.seed)
    activations_total = problem.alone(rank.memory.saved(problem.parameters()))
    method = "data" if rank.breaks("replicate") else parameters.method
    share = SHARES[method](problem, rank.index, rank.size, rank.fault)
    own = share.parameters()
    optimizer: torch.optim.Optimizer | None = None
    if own:  # a rank may be without any, and torch refuses an optimizer of nothing
        kind = torch.optim.SGD if rank.breaks("plain-sgd") else torch.optim.Adam
        optimizer = kind(own, lr=1e-3)
    saved = rank.memory.saved(own)
    pinned: list[object] | None = [] if rank.breaks("keep-everything") else None

    def forward() -> None:
        with saved.recording(pinned):
            share.forward()

    forward()
    share.backward()
    gradients = [p.grad for p in own if p.grad is not None]
    difference = (
        relative_difference(joined(gradients), joined(share.expected())) if gradients else 0.0
    )
    if optimizer is not None:
        optimizer.step()
        optimizer.zero_grad(set_to_none=False)
    forward()
    held = rank.memory.held(own, optimizer)
    activations = saved.bytes
    share.backward()

    gathered = share.gathered.most
    total = held.parameters + held.gradients + held.optimizer + activations + gathered
    return {
        **held.readings(),
        "activations_held": reading(activations),
        "gathered_most": reading(gathered),
        "total_held": reading(total),
        "fits": Reading(int(total <= parameters.budget), Source.COUNTED),
        "parameters_total": reading(bytes_of(problem.parameters())),
        "activations_total": reading(activations_total),
        "largest_layer": reading(max(map(size_of, problem.layers))),
        "gradient_difference": Reading(difference, Source.MEASURED),
    }


QUANTITIES = (
    PARAMETERS_HELD,
    size_per_rank("gradients_held", "保持する勾配の量", "bytes of gradients held"),
    size_per_rank(
        "optimizer_held",
        "保持するオプティマイザの状態の量",
        "bytes of optimizer state held",
    ),
    size_per_rank(
        "activations_held",
        "保持する活性化の量",
        "bytes of activations held",
    ),
    size_per_rank(
        "gathered_most",
        "使う間だけ集めたパラメータの最大量",
        "the most bytes of parameters gathered for a moment",
    ),
    size_per_rank("total_held", "保持する量の合計", "bytes held in all"),
    per_rank(
        "fits",
        "予算に収まれば 1、収まらなければ 0",
        "1 where the total fits the budget, else 0",
    ),
    PARAMETERS_TOTAL,
    size(
        "activations_total",
        "1 プロセスがバッチ全体で保持する活性化の量",
        "bytes of activations that one process holds for the whole batch",
    ),
    size(
        "largest_layer",
        "最大の層のパラメータの量",
        "bytes of the largest layer's parameters",
    ),
    GRADIENT_DIFFERENCE,
)


def _law(
    methods: Sequence[str],
    claim: str,
    ja: str,
    en: str,
    *,
    when: str | None = None,
    fault: str | None = None,
) -> Law:
    return Law(claim, Text(ja=ja, en=en), when, fault, {"method": tuple(methods)})


# Every rank holds the bias after a split matrix, hidden of a layer's hidden × (8·hidden + 5), and
# shards are padded: below 2 % from here on.
_WIDE = "hidden >= 7*(ranks-1)"
_WIDE_HALF = "hidden >= 7*(ranks/2-1)"

LAWS = (
    _law(
        ("data",),
        "parameters_held == parameters_total",
        "データ並列では、どのランクもモデル全体を保持する",
        "under data parallelism every rank holds the whole model",
    ),
    _law(
        ("tensor", "sharded"),
        "parameters_held == parameters_total/ranks ± 2%",
        "各ランクが保持するのはモデルの 1/N である",
        "every rank holds 1/N of the model",
        when=_WIDE,
        fault="replicate",
    ),
    _law(
        ("hybrid",),
        "parameters_held == 2*parameters_total/ranks ± 2%",
        "2 つの複製を N ランクで分けるので、各ランクが保持するのはモデルの 2/N である",
        "two replicas are divided among N ranks, so each holds 2/N of the model",
        when=_WIDE_HALF,
        fault="replicate",
    ),
    _law(
        ("pipeline",),
        "sum(parameters_held) == parameters_total",
        "各層を保持するのは 1 つのランクだけである",
        "each layer is held by one rank alone",
        fault="replicate",
    ),
    _law(
        ("pipeline",),
        "max(parameters_held) == ceil(layers/ranks)*largest_layer",
        "パイプラインは層を分けないので、最大の層より小さくはならない",
        "a pipeline never splits a layer, so a rank holds no less than the largest one",
        when="ranks >= 2",
    ),
    _law(
        _METHODS,
        "gradients_held == parameters_held",
        "勾配はパラメータと同じ大きさである",
        "gradients are as large as the parameters",
    ),
    _law(
        _METHODS,
        "optimizer_held == 2*parameters_held ± 1% of parameters_total",
        "Adam の状態はパラメータの 2 倍である",
        "Adam's state is twice as large as the parameters",
        fault="plain-sgd",
    ),
    _law(
        ("data", "sharded"),
        "activations_held == activations_total/ranks",
        "バッチを分けるので、活性化は 1/N になる",
        "the batch is divided, so each rank holds 1/N of the activations",
        fault="keep-everything",
    ),
    _law(
        ("pipeline",),
        "sum(activations_held) == activations_total",
        "GPipe では、全ランクの活性化の合計は 1 プロセスの場合と同じである",
        "under GPipe all ranks together hold as many activations as one process",
        fault="keep-everything",
    ),
    # An MLP's input (hidden) is on every rank; two intermediate tensors (4·hidden) are divided.
    _law(
        ("tensor",),
        "activations_held == activations_total*(ranks+8)/(9*ranks)",
        "分けられるのは層の内側の活性化だけで、層の入力は全ランクが保持する",
        "only what lies inside a layer is divided; every rank holds the layer's input",
        fault="keep-everything",
    ),
    _law(
        ("hybrid",),
        "activations_held == activations_total*(ranks+16)/(18*ranks)",
        "バッチは半分になり、層の内側の活性化はさらに分けられる",
        "the batch is halved, and what lies inside a layer is divided further",
        fault="keep-everything",
    ),
    _law(
        ("data", "tensor", "hybrid", "sharded"),
        "gradient_difference < 1e-12",
        "勾配は 1 プロセスで計算したものと同じである",
        "the gradients are those of one process",
        fault="skip-all-reduce",
    ),
    _law(
        ("pipeline",),
        "gradient_difference < 1e-12",
        "勾配は 1 プロセスで計算したものと同じである",
        "the gradients are those of one process",
    ),
)

FAULTS = (
    Fault(
        "replicate",
        Text(
            ja="分け方によらず、全ランクがモデル全体を持つ",
            en="hold the whole model on every rank whatever the method",
        ),
    ),
    Fault(
        "keep-everything",
        Text(
            ja="逆伝播が終わっても、保存した活性化を手放さない",
            en="keep what was saved even after the backward pass has used it",
        ),
    ),
    Fault(
        "plain-sgd",
        Text(
            ja="Adam の代わりに、状態を持たない SGD を使う",
            en="use plain SGD, which has no state, in place of Adam",
        ),
    ),
    Fault(
        "skip-all-reduce",
        Text(
            ja="ランク間で勾配や部分和を合わせない",
            en="leave out what combines gradients or partial sums between ranks",
        ),
    ),
)


def _expected_seconds(parameters: Parameters) -> float:
    """On two cores: each rank's own reference takes most of it."""
    work = parameters.layers * parameters.batch * parameters.hidden**2 * 24 * 4
    return 0.5 + 0.02 * parameters.ranks * parameters.layers + parameters.ranks * work / 5e9


experiment = Experiment(
    "memory-held",
    Parameters,
    run,
    quantities=QUANTITIES,
    laws=LAWS,
    faults=FAULTS,
    title=Text(ja="各ランクが保持するメモリ", en="The memory that each rank holds"),
    refuse=refuse,
    expected_seconds=_expected_seconds,
)
