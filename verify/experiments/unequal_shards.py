"""Data parallelism over shards of unequal size, against one process on all the samples.

Rank 0 holds `first` samples, every other rank `rest`. Each takes the gradient of its own loss, and
DistributedDataParallel averages over the N ranks: it adds up and divides by N, whatever the loss
and however many samples there were.

reduction=mean: the loss is a mean over the shard. The mean of the ranks' means is the mean over all
samples only where the shards are equal. Else a sample in a small shard counts for more than one in
a large shard. A rank's loss times n_i·N/B mends it, n_i being its samples and B those of all ranks.

reduction=sum: the loss is a sum over the shard. The average is then 1/N of the gradient of the sum
over all samples, for equal and unequal shards alike; a rank's loss times N mends it.

Both are computed in float64, the plain average and the weighted one, and compared with the gradient
of the same loss in one process.
---
サンプル数の等しくないデータ並列を、全サンプルを 1 プロセスで計算した場合と比べます。

ランク 0 は `first` 個、ほかのランクはそれぞれ `rest` 個のサンプルを持ちます。各ランクは自分の損失
の勾配を求め、DistributedDataParallel が N 台で平均します。損失が何であっても、サンプルがいくつあっ
ても、足し合わせて N で割ります。

reduction=mean では、損失は自分のサンプルの平均です。ランクごとの平均の平均が全サンプルの平均になる
のは、どのランクのサンプル数も等しいときだけです。等しくなければ、少ない側のサンプルが多い側のサン
プルより重く数えられます。ランクのサンプル数を n_i、全体を B として、損失に n_i·N/B を掛けると正し
くなります。

reduction=sum では、損失は自分のサンプルの合計です。サンプル数が等しくてもそうでなくても、平均した
勾配は、全サンプルの合計の勾配の 1/N になります。損失に N を掛けると正しくなります。

そのまま平均した勾配と、重みを付けて平均した勾配の両方を float64 で求め、同じ損失を 1 プロセスで計
算した勾配と比べます。
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated

from verify.experiment import Between, Experiment, Fault, Law, OneOf
from verify.quantities import Reading, Readings, Source
from verify.text import Text
from verify.vocabulary import (
    PLAIN_DIFFERENCE,
    SAMPLES_PER_RANK,
    WEIGHTED_DIFFERENCE,
    Ranks,
    per_rank,
)

if TYPE_CHECKING:
    from verify.worlds.rank import Rank


@dataclass(frozen=True)
class Parameters:
    ranks: Ranks = 2
    first: Annotated[
        int, Between(1, 256), Text(ja="ランク 0 のサンプル数", en="number of samples on rank 0")
    ] = 6
    rest: Annotated[
        int,
        Between(1, 256),
        Text(ja="ほかの各ランクのサンプル数", en="number of samples on each other rank"),
    ] = 2
    reduction: Annotated[
        str, OneOf("mean", "sum"), Text(ja="損失のまとめ方", en="reduction of the loss")
    ] = "mean"
    hidden: Annotated[int, Between(8, 1024), Text(ja="隠れ層の幅", en="hidden size")] = 64


def run(rank: Rank, parameters: Parameters) -> Readings:
    from verify.parallel.collectives import corrupt_one_element
    from verify.parallel.measures import relative_difference
    from verify.parallel.shards import Shards

    p, ranks = parameters, rank.size
    sizes = [p.first] + [p.rest] * (ranks - 1)
    if rank.breaks("equal-shards"):
        sizes = [min(p.first, p.rest)] * ranks
    shards = Shards(rank.index, sizes, hidden=p.hidden, seed=rank.seed)
    share = Fraction(sizes[rank.index], sum(sizes)) if p.reduction == "mean" else Fraction(1)
    weight = ranks * share

    expected = shards.alone(p.reduction)
    if rank.breaks("skip-all-reduce"):
        plain = shards.alone(p.reduction, own=True)
        weighted = float(weight) * plain
    else:
        plain = shards.averaged(p.reduction)
        weighted = shards.averaged(p.reduction, float(weight))
    if rank.breaks("one-element") and rank.index == 1:
        corrupt_one_element(weighted, rank.seed)
    return {
        "samples_per_rank": Reading(sizes[rank.index], Source.COUNTED),
        "weight": Reading(weight, Source.COUNTED),
        "plain_difference": Reading(relative_difference(plain, expected), Source.MEASURED),
        "plain_ratio": Reading((plain.norm() / expected.norm()).item(), Source.MEASURED),
        "weighted_difference": Reading(relative_difference(weighted, expected), Source.MEASURED),
    }


def _expected_seconds(parameters: Parameters) -> float:
    """Measured on two cores; each rank also computes the gradient over all samples."""
    samples = parameters.first + parameters.rest * (parameters.ranks - 1)
    return 0.3 + 0.03 * parameters.ranks + samples * parameters.ranks * parameters.hidden**2 / 2e9


def _law(claim: str, ja: str, en: str, fault: str, reduction: str, when: str | None = None) -> Law:
    return Law(claim, Text(ja=ja, en=en), when, fault, {"reduction": (reduction,)})


experiment = Experiment(
    "unequal-shards",
    Parameters,
    run,
    quantities=(
        SAMPLES_PER_RANK,
        PLAIN_DIFFERENCE,
        per_rank(
            "plain_ratio",
            "全サンプルの勾配に対する、そのまま平均した勾配の大きさの比",
            "size of the plain average over the gradient of all samples",
        ),
        per_rank(
            "weight", "ランクの損失に掛ける重み", "weight that a rank's loss is multiplied by"
        ),
        WEIGHTED_DIFFERENCE,
    ),
    laws=(
        _law(
            "plain_difference > 0.05",
            "サンプル数が等しくないと、平均の平均は全サンプルの平均になりません。",
            "Over unequal shards the mean of means is not the mean over all samples.",
            "equal-shards",
            "mean",
            "max(first, rest) >= 3*min(first, rest)",  # nearly equal shards differ by less
        ),
        _law(
            "plain_difference < 1e-12",
            "サンプル数が等しければ、平均の平均は全サンプルの平均です。",
            "Over equal shards the mean of means is the mean over all samples.",
            "skip-all-reduce",
            "mean",
            "first == rest",
        ),
        _law(
            "plain_ratio == 1/ranks ± 0.01%",
            "損失が合計でも N で割るので、勾配は 1/N になります。",
            "A sum, too, is divided by N, so the gradient is 1/N of the whole one.",
            "skip-all-reduce",
            "sum",
        ),
        _law(
            "plain_difference == 1-1/ranks ± 0.01%",
            "損失が合計のときの差は、ちょうど 1 − 1/N です。",
            "With a sum the difference is 1 − 1/N.",
            "skip-all-reduce",
            "sum",
        ),
        *(
            _law(
                "weighted_difference < 1e-12",
                "重みを付ければ、全サンプルを 1 プロセスで計算した勾配に一致します。",
                "With the weights it is one process's gradient over all samples.",
                fault,
                reduction,
            )
            for fault, reduction in (("one-element", "mean"), ("one-element", "sum"))
        ),
    ),
    faults=(
        Fault(
            "equal-shards",
            Text(
                ja="どのランクも、少ない方と同じ数のサンプルだけを使います。",
                en="Every rank uses only as many samples as the smallest shard has.",
            ),
        ),
        Fault(
            "skip-all-reduce",
            Text(
                ja="平均せず、各ランクが自分の勾配を使います。",
                en="The all-reduce is left out: each rank takes its own gradient.",
            ),
        ),
        Fault(
            "one-element",
            Text(
                ja="ランク 1 の重み付き勾配の要素を 1 つだけ壊します。",
                en="One element of rank 1's weighted gradient is corrupted.",
            ),
        ),
    ),
    title=Text(ja="サンプル数の等しくないデータ並列", en="Data parallelism over unequal shards"),
    expected_seconds=_expected_seconds,
)
