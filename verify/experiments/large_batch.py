"""A larger batch with the learning rate left alone, and two rules that raise the rate with it.

A small classifier of handwritten digits (64 → 64 → 64 → 10, tanh) is trained by data parallelism
with plain SGD, twice: with batches of `base_batch` samples at `base_rate`, and with batches
`factor` times as large at the rate that `rule` gives: the same, `factor` times as high (linear), or
√`factor` times as high (square-root). Each rank takes its part of every batch, and the gradients
are averaged by an all-reduce. Both trainings see every sample equally often, so the large batch
takes fewer steps, by `factor`. The loss is the mean cross-entropy over all 1,797 digits at the end;
a classifier that gives every digit the same probability has ln 10 = 2.30. A training that ends with
a higher loss than it started with has diverged.

With `warm_up` the large batch's rate rises in equal steps from `base_rate` during the first epoch
(Goyal et al. 2017, who also state the linear rule). The reason for that rule is that `factor` small
steps make nearly the same change as one big step with `factor` times the rate, as long as the
weights hardly move on the way; `step_difference` measures how nearly, on the first samples. Where
the rate is high they move, and the rule breaks.

Each training is done with `seeds` different starts and orders of samples at once; losses are means
over them, with the 95 % confidence interval.

Digits: E. Alpaydin and C. Kaynak, Optical Recognition of Handwritten Digits, UCI Machine Learning
Repository, CC BY 4.0.
---
バッチだけを大きくして学習率を変えない場合と、それに合わせて学習率を上げる 2 つの規則を比べます。

手書き数字の小さな分類器(64 → 64 → 64 → 10、tanh)を、データ並列と単純な SGD で 2 通りに学習
します。1 つは `base_batch` サンプルのバッチと学習率 `base_rate`、もう 1 つはその `factor` 倍の
バッチと、`rule` で決まる学習率です。same はそのまま、linear は `factor` 倍、square-root は
√`factor` 倍にします。各ランクはバッチを分担し、勾配を all-reduce で平均します。どちらの学習も
各サンプルを同じ回数だけ見るので、大きいバッチのステップ数は `factor` 分の 1 です。損失は、学習後の
全 1,797 枚の平均交差エントロピーです。どの数字にも同じ確率を与える分類器の損失は ln 10 = 2.30
です。始めより高い損失で終わった学習を発散とします。

`warm_up` を付けると、大きいバッチの学習率を最初のエポックの間に `base_rate` から等間隔で上げます
(Goyal ら 2017。線形則もこの論文にあります)。線形則の根拠は、途中で重みがほとんど動かない
かぎり、小さい `factor` ステップの変化が、学習率 `factor` 倍の大きい 1 ステップとほぼ等しいこと
です。`step_difference` は、最初のサンプルでその近さを測ります。学習率が高いと重みが動き、線形則は
破れます。

学習は、初期値とサンプルの順序が異なる `seeds` 通りを同時に行い、損失はその平均と 95 % 信頼区間
です。

手書き数字の出典: Optical Recognition of Handwritten Digits(E. Alpaydin、C. Kaynak)。
UCI Machine Learning Repository、CC BY 4.0。
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated

from verify.experiment import Between, Experiment, Fault, Law, OneOf
from verify.quantities import Reading, Readings, Source, Unmeasured
from verify.text import Text
from verify.vocabulary import GRADIENT_DIFFERENCE, FewRanks, scalar

if TYPE_CHECKING:
    from verify.worlds.rank import Rank

_SAMPLES = 1797
_SCALE: dict[str, Callable[[int], float]] = {
    "same": lambda _: 1.0,
    "linear": float,
    "square-root": math.sqrt,
}


@dataclass(frozen=True)
class Parameters:
    ranks: FewRanks = 2
    base_batch: Annotated[
        int, Between(2, 128), Text(ja="元のバッチサイズ", en="base batch size")
    ] = 16
    base_rate: Annotated[
        float, Between(0.0001, 2), Text(ja="元の学習率", en="base learning rate")
    ] = 0.05
    factor: Annotated[
        int, Between(2, 64), Text(ja="バッチを大きくする倍率", en="how many times as large")
    ] = 8
    rule: Annotated[
        str, OneOf(*_SCALE), Text(ja="学習率の規則", en="rule for the learning rate")
    ] = "linear"
    warm_up: Annotated[bool, Text(ja="学習率のウォームアップ", en="warm the learning rate up")] = (
        False
    )
    seeds: Annotated[int, Between(5, 32), Text(ja="シードの数", en="number of seeds")] = 8
    epochs: Annotated[int, Between(1, 20), Text(ja="エポック数", en="number of epochs")] = 3


def refuse(parameters: Parameters) -> Text | None:
    """Batches that the ranks can't share equally, or that are larger than the data."""
    ranks, batch = parameters.ranks, parameters.base_batch
    if batch % ranks:
        return Text(
            ja=f"base_batch={batch} は ranks={ranks} で割り切れません。"
            "割り切れる値にしてください。",
            en=f"base_batch={batch} can't be shared equally by ranks={ranks}; choose a multiple.",
        )
    if batch * parameters.factor > _SAMPLES:
        return Text(
            ja=f"base_batch × factor = {batch * parameters.factor} は、"
            f"データの {_SAMPLES} サンプルを超えています。",
            en=f"base_batch × factor = {batch * parameters.factor} is more than the "
            f"{_SAMPLES} samples that there are.",
        )
    return None


def run(rank: Rank, parameters: Parameters) -> Readings:
    from verify.parallel.large_batch import Plan, Trainings

    batch, factor, base_rate = parameters.base_batch, parameters.factor, parameters.base_rate
    rule = "linear" if rank.breaks("always-linear") else parameters.rule
    scale = 1.0 if rank.breaks("keep-rate") else _SCALE[rule](factor)
    rate = base_rate * scale
    rising = _SAMPLES // (batch * factor) if parameters.warm_up else 1

    def warmed_up(step: int) -> float:
        return base_rate + (rate - base_rate) * min(1.0, (step + 1) / rising)

    average, reduce = not rank.breaks("sum-not-mean"), not rank.breaks("skip-all-reduce")
    trainings = Trainings(rank.index, rank.size, seeds=parameters.seeds, seed=rank.seed)
    rank.step("training with the base batch")
    base, large = (
        trainings.train(plan, epochs=parameters.epochs, every=every, average=average, reduce=reduce)
        for plan, every in (
            (Plan(batch, lambda _: base_rate), factor),
            (Plan(batch * factor, warmed_up), 1),
        )
    )
    difference = trainings.step_difference(
        base_rate,
        batch,
        factor,
        big_rate=base_rate * (1 if rank.breaks("keep-rate") else factor),
        stale=rank.breaks("stale"),
    )
    ratios = [b / a for a, b in zip(base.losses, large.losses, strict=True)]
    return {
        "loss_base": _samples(base.losses),
        "loss_large": _samples(large.losses),
        "loss_ratio": _samples(ratios),
        "diverged": Reading(_diverged(trainings.first_losses(), large.losses), Source.COUNTED),
        "step_difference": _samples(difference),
        "rate_large": Reading(rate, Source.COUNTED),
        "steps_base": Reading(base.steps, Source.COUNTED),
        "steps_large": Reading(large.steps, Source.COUNTED),
        "gradient_difference": Reading(
            trainings.gradient_difference(batch * factor, average=average, reduce=reduce),
            Source.MEASURED,
        ),
        "replica_spread": Reading(max(base.spread, large.spread), Source.MEASURED),
        "_curve_loss_base": Reading(base.curve, Source.MEASURED),
        "_curve_loss_large": Reading(large.curve, Source.MEASURED),
    }


def _samples(values: Sequence[float]) -> Reading | Unmeasured:
    if all(map(math.isfinite, values)):
        return Reading(tuple(values), Source.MEASURED)
    return Unmeasured(
        Text(
            ja="学習が発散し、損失が有限の数でなくなりました。",
            en="The training diverged until its loss was no finite number.",
        )
    )


def _diverged(before: Sequence[float], after: Sequence[float]) -> Fraction:
    """The share of losses that rose, or are no number any more."""
    rose = [not last <= first for first, last in zip(before, after, strict=True)]
    return Fraction(sum(rose), len(rose))


QUANTITIES = (
    scalar("loss_base", "元のバッチでの損失", "the loss with the base batch", sampled=True),
    scalar("loss_large", "大きいバッチでの損失", "the loss with the large batch", sampled=True),
    scalar(
        "loss_ratio",
        "元のバッチに対する大きいバッチの損失の比",
        "the large batch's loss as a multiple of the base batch's",
        sampled=True,
    ),
    scalar(
        "diverged",
        "大きいバッチの学習が発散したシードの割合",
        "the share of seeds whose training with the large batch diverged",
    ),
    scalar(
        "step_difference",
        "小さい複数ステップと大きい 1 ステップの相対差",
        "the relative difference of several small steps from one big step",
        sampled=True,
    ),
    scalar("rate_large", "大きいバッチの学習率", "the large batch's learning rate"),
    scalar("steps_base", "元のバッチのステップ数", "the number of steps with the base batch"),
    scalar("steps_large", "大きいバッチのステップ数", "the number of steps with the large batch"),
    GRADIENT_DIFFERENCE,
    scalar(
        "replica_spread",
        "学習後の重みのランク間の最大差",
        "largest difference between the ranks' trained weights",
    ),
)

# Where the textbook's statements were seen to hold on these digits with room to spare.
_SET_UP = "1+abs(base_batch-16)+abs(factor-8)+abs(epochs-3)"  # 1 where these are the defaults
_USUAL = f"max(base_rate/0.05, 0.04/base_rate, {_SET_UP}) <= 1"
_FAST = f"max(base_rate/0.2, 0.2/base_rate, {_SET_UP}) <= 1"


def _law(
    claim: str,
    ja: str,
    en: str,
    *,
    when: str,
    fault: str,
    rule: str | None = None,
    cold: bool = False,
) -> Law:
    only: dict[str, tuple[str | bool, ...]] = {"rule": (rule,)} if rule else {}
    return Law(
        claim, Text(ja=ja, en=en), when, fault, only | ({"warm_up": (False,)} if cold else {})
    )


LAWS: tuple[Law, ...] = (
    _law(
        "loss_large > 2*loss_base",
        "バッチだけを大きくすると、同じエポック数では損失が下がりきらない",
        "a larger batch alone doesn't get the loss down in as many epochs",
        rule="same",
        when=_USUAL,
        fault="always-linear",
    ),
    _law(
        "loss_ratio == 1 ± 25%",
        "学習率も同じ倍率で上げると、損失はほぼ同じになる(線形則)",
        "with the rate raised by the same factor the loss is nearly the same (the linear rule)",
        rule="linear",
        when=_USUAL,
        fault="keep-rate",
        cold=True,
    ),
    _law(
        "loss_large > 2*loss_base",
        "この学習率では、√ 倍では上げ方が足りない",
        "at this rate, raising it by the square root isn't enough",
        rule="square-root",
        when=_USUAL,
        fault="always-linear",
    ),
    _law(
        "diverged == 1",
        "元の学習率が高いと、線形則では発散する",
        "from a high base rate the linear rule diverges",
        rule="linear",
        when=_FAST,
        fault="keep-rate",
    ),
    _law(
        "loss_large < 1",
        "元の学習率が高い場合でも、√ 倍なら学習が進む",
        "from a high base rate the square root still trains",
        rule="square-root",
        when=_FAST,
        fault="always-linear",
    ),
    _law(
        "step_difference < 0.01",
        "学習率が低ければ、小さい k ステップは大きい 1 ステップとほぼ同じである",
        "at a low rate, k small steps are nearly one big step",
        when="max(base_rate/0.001, factor/8) <= 1",
        fault="keep-rate",
    ),
    _law(
        "step_difference > 0.5",
        "学習率が高いと、小さい k ステップは大きい 1 ステップと大きく異なる",
        "at a high rate, k small steps are far from one big step",
        when="max(1/base_rate, 8/factor) <= 1",
        fault="stale",
    ),
    Law(
        "gradient_difference < 0.0001",
        Text(
            ja="平均した勾配は、バッチ全体を 1 プロセスで計算した勾配である",
            en="the averaged gradient is one process's gradient over the whole batch",
        ),
        fault="sum-not-mean",
    ),
    Law(
        "replica_spread == 0",
        Text(
            ja="学習後の重みは全ランクで同じである",
            en="the trained weights are the same on all ranks",
        ),
        fault="skip-all-reduce",
    ),
)

FAULTS = (
    Fault(
        "keep-rate",
        Text(
            ja="規則によらず、学習率を元のままにする",
            en="leave the learning rate alone whatever the rule",
        ),
    ),
    Fault(
        "always-linear",
        Text(
            ja="規則によらず、学習率をバッチと同じ倍率で上げる",
            en="raise the learning rate by the batch's factor whatever the rule",
        ),
    ),
    Fault(
        "stale",
        Text(
            ja="小さいステップの勾配を、すべて最初の重みで計算する",
            en="take the gradients of all small steps at the first weights",
        ),
    ),
    Fault(
        "sum-not-mean",
        Text(
            ja="ランクの勾配を平均せず、合計する",
            en="add up the ranks' gradients instead of averaging them",
        ),
    ),
    Fault(
        "skip-all-reduce",
        Text(
            ja="勾配の all-reduce を行わず、各ランクが自分の勾配で更新する",
            en="leave out the all-reduce: each rank applies its own gradient",
        ),
    ),
)


def _expected_seconds(parameters: Parameters) -> float:
    """On two cores: each step's handling, and each sample's share of the work."""
    steps = parameters.epochs * _SAMPLES / parameters.base_batch
    work = parameters.epochs * parameters.seeds * _SAMPLES * 20e-6
    return 0.5 + (steps * 3e-3 * parameters.ranks + work) / 2


experiment = Experiment(
    "large-batch",
    Parameters,
    run,
    quantities=QUANTITIES,
    laws=LAWS,
    faults=FAULTS,
    title=Text(ja="バッチを大きくしたときの学習率", en="The learning rate of a large batch"),
    refuse=refuse,
    expected_seconds=_expected_seconds,
)
