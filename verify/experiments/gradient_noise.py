"""How noisy a mini-batch's gradient is, and how the noise falls with the size of the batch.

The weights of a small classifier of handwritten digits (softmax regression on 1,797 images) stay
fixed. Each rank draws many mini-batches of its own and takes the gradient of the mean loss over
each. The variance of a gradient is the sum of its parameters' variances. An all-reduce combines the
moments of all ranks into the variance of one rank's gradient; a second one averages the ranks'
gradients as a step of data parallelism does, and the variance of that average is taken too.

Drawn with replacement, a batch of B samples has 1/B of the variance of a single sample's gradient,
so variance × batch doesn't depend on the batch, and N ranks of B samples each are as quiet as one
batch of N·B. Drawn without replacement from n samples it is smaller by the factor (n−B)/(n−1). The
variance of a single sample's gradient is computed exactly, over all samples, in one process.

A measured variance is itself drawn by chance: it is measured eight times over, each time from
`draws` fresh mini-batches per rank, and given with the 95 % confidence interval of the mean.

Digits: E. Alpaydin and C. Kaynak, Optical Recognition of Handwritten Digits, UCI Machine Learning
Repository, CC BY 4.0.
---
ミニバッチの勾配がどれだけばらつき、そのばらつきがバッチサイズとともにどう減るかを調べます。

手書き数字の小さな分類器(1,797 枚の画像に対するソフトマックス回帰)の重みを固定します。各ランクは
自分のミニバッチを何度も抽出し、それぞれの平均損失の勾配を求めます。勾配の分散は、全パラメータの分散の
和です。1 つ目の all-reduce で全ランクのモーメントを合わせ、1 ランクの勾配の分散を求めます。次に
もう一度 all-reduce を行い、データ並列の 1 ステップと同じようにランクの勾配を平均し、その平均の
分散も求めます。

復元抽出なら、B サンプルのバッチの勾配の分散は、1 サンプルの勾配の分散の 1/B です。分散 × バッチサ
イズはバッチサイズによらず、B サンプルずつの N ランクは N·B サンプルの 1 つのバッチと同じばらつきに
なります。n サンプルからの非復元抽出では、さらに (n−B)/(n−1) 倍に減ります。1 サンプルの勾配の分散
は、全サンプルについて 1 プロセスで正確に計算します。

測った分散そのものも偶然に左右されます。そこで、ランクごとに `draws` 個の新しいミニバッチから求める
測定を 8 回行い、平均とその 95 % 信頼区間を示します。

手書き数字の出典: Optical Recognition of Handwritten Digits(E. Alpaydin、C. Kaynak)。
UCI Machine Learning Repository、CC BY 4.0。
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from verify.experiment import Between, Experiment, Fault, Law
from verify.quantities import Reading, Readings, Source
from verify.text import Text
from verify.vocabulary import Ranks, scalar

if TYPE_CHECKING:
    from verify.worlds.rank import Rank

_REPETITIONS = 8


@dataclass(frozen=True)
class Parameters:
    ranks: Ranks = 4
    batch: Annotated[
        int, Between(1, 1797), Text(ja="1 ランクのバッチサイズ", en="batch size of a rank")
    ] = 32
    draws: Annotated[
        int,
        Between(16, 2000),
        Text(ja="1 回の測定でのランクごとの抽出数", en="mini-batches per rank and measurement"),
    ] = 200
    replacement: Annotated[bool, Text(ja="復元抽出", en="draw with replacement")] = True


def run(rank: Rank, parameters: Parameters) -> Readings:
    import torch

    from verify.parallel.collectives import stream
    from verify.parallel.noise import Population, variances

    population = Population(rank.seed)
    own = 0 if rank.breaks("same-draws") else rank.index
    generator = torch.Generator().manual_seed(stream(rank.seed, 1, own))
    pairs = []
    for _ in range(_REPETITIONS):
        deviations = population.deviations(
            parameters.draws,
            parameters.batch,
            replacement=parameters.replacement,
            generator=generator,
        )
        if rank.breaks("sum-not-mean"):
            deviations *= parameters.batch
        pairs.append(variances(deviations))
    one, averaged = zip(*pairs, strict=True)
    batch, joined = parameters.batch, parameters.batch * rank.size
    return {
        "variance": Reading(tuple(one), Source.MEASURED),
        "variance_times_batch": Reading(tuple(v * batch for v in one), Source.MEASURED),
        "averaged_variance": Reading(tuple(averaged), Source.MEASURED),
        "averaged_times_batch": Reading(tuple(v * joined for v in averaged), Source.MEASURED),
        "population_variance": Reading(population.variance, Source.MEASURED),
        "population": Reading(population.size, Source.COUNTED),
    }


_SIZES = "batch <= 1700"  # of nearly all samples hardly any variance is left to measure


def _laws(replacement: bool, factor: str, ja: str, en: str) -> tuple[Law, ...]:
    expected = f"population_variance{factor}"
    return (
        Law(
            f"variance_times_batch == {expected} ± 10%",
            Text(ja=ja, en=en),
            when=_SIZES if factor else None,
            fault="sum-not-mean",
            only={"replacement": (replacement,)},
        ),
        Law(
            f"averaged_times_batch == {expected} ± 10%",
            Text(
                ja="ランク間で平均した勾配は、全ランクのサンプルを合わせたバッチと同じだけばらつく",
                en="the average over the ranks is as noisy as one batch of all their samples",
            ),
            when=_SIZES if factor else None,
            fault="same-draws",
            only={"replacement": (replacement,)},
        ),
    )


experiment = Experiment(
    "gradient-noise",
    Parameters,
    run,
    quantities=(
        scalar(
            "variance",
            "1 ランクのミニバッチ勾配の分散",
            "the variance of a rank's mini-batch gradient",
            sampled=True,
        ),
        scalar(
            "variance_times_batch",
            "1 ランクのミニバッチ勾配の分散 × バッチサイズ",
            "a rank's gradient variance times its batch size",
            sampled=True,
        ),
        scalar(
            "averaged_variance",
            "ランク間で平均した勾配の分散",
            "the variance of the gradient averaged over ranks",
            sampled=True,
        ),
        scalar(
            "averaged_times_batch",
            "ランク間で平均した勾配の分散 × 全ランクのバッチサイズ",
            "the averaged gradient's variance times the batch size of all ranks",
            sampled=True,
        ),
        scalar(
            "population_variance",
            "1 サンプルの勾配の分散",
            "the variance of a single sample's gradient",
        ),
        scalar("population", "サンプルの総数", "the number of samples"),
    ),
    laws=(
        *_laws(
            True,
            "",
            "復元抽出なら、分散 × バッチサイズはバッチサイズによらない",
            "drawn with replacement, variance × batch size doesn't depend on the batch size",
        ),
        *_laws(
            False,
            "*(population-batch)/(population-1)",
            "非復元抽出では、分散はさらに (n−B)/(n−1) 倍に減る",
            "drawn without replacement, the variance is smaller by (n−B)/(n−1)",
        ),
    ),
    faults=(
        Fault(
            "sum-not-mean",
            Text(
                ja="損失をサンプルについて平均せず、合計する",
                en="add up the loss over the samples instead of averaging it",
            ),
        ),
        Fault(
            "same-draws",
            Text(
                ja="全ランクが同じ乱数で同じミニバッチを抽出する",
                en="all ranks draw the same mini-batches, from the same random numbers",
            ),
        ),
    ),
    title=Text(ja="ミニバッチ勾配のばらつき", en="The noise of mini-batch gradients"),
    # Two cores; a sample's pass and its place in the all-reduce of the gradients.
    expected_seconds=lambda p: 0.5 + p.ranks * p.draws * _REPETITIONS * (15e-6 + 0.6e-6 * p.batch),
)
