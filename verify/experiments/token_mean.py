"""A mean over tokens is not the mean of means: two ranks, two accumulation steps.

Sequences differ in length, and padding doesn't count. Here rank 0 has 2 and 6 valid tokens in its
two steps with mean losses 1 and 3, rank 1 has 8 and 4 with 2 and 8. One all-reduce of sums and
counts gives three means. Over all 20 tokens: (2·1 + 6·3 + 8·2 + 4·8)/20 = 17/5. Of the four means:
(1 + 3 + 2 + 8)/4 = 7/2, which is what averaging over steps and ranks computes. Of each rank's mean
over its own tokens: (20/8 + 48/12)/2 = 13/4. With tokens=equal every step has 5, and all agree.

The same happens to gradients. A linear model in float64 takes sequences of these lengths, its loss
a mean over each step's valid tokens. The plain average over steps and ranks is compared with one
process's gradient of the mean over all tokens, and so is a weighted one: each step's loss is
multiplied by its share of all tokens and by the number of ranks that the average divides by.
---
トークンの平均は、平均の平均とは違います。2 台のランクが 2 回ずつ累積する例です。

系列の長さは異なり、パディングは数えません。ここでは、ランク 0 の 2 回のステップの有効なトークン
は 2 個と 6 個で、平均損失は 1 と 3、ランク 1 では 8 個と 4 個で、2 と 8 です。合計と個数
を all-reduce し、3 通りの平均を求めます。全 20 トークンの平均
は (2·1 + 6·3 + 8·2 + 4·8)/20 = 17/5 です。4 つの平均の平均は (1 + 3 + 2 + 8)/4 = 7/2 で、ステップ
とランクで単純に平均すると、この値になります。ランクごとのトークンの平均をさらに平均する
と、(20/8 + 48/12)/2 = 13/4 です。tokens=equal では、どのステップも 5 個で、3 つの値は一致します。

勾配でも同じことが起こります。float64 の線形モデルに同じ長さの系列を与え、ステップごとに有効なトー
クンの平均損失を求めます。ステップとランクで単純に平均した勾配を、全トークンの平均損失を 1 プロセス
で計算した勾配と比べます。重みを付けた勾配も比べます。重みは、ステップの損失に全トークンに占める割
合を掛け、平均で割られる分としてランク数を掛けたものです。
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from verify.experiment import Experiment, Fault, Law, OneOf
from verify.quantities import Reading, Readings, Source
from verify.text import Text
from verify.vocabulary import PLAIN_DIFFERENCE, WEIGHTED_DIFFERENCE, per_rank

if TYPE_CHECKING:
    from verify.worlds.rank import Rank

TOKENS = {"unequal": ((2, 6), (8, 4)), "equal": ((5, 5), (5, 5))}  # by rank and step
LOSSES = ((1, 3), (2, 8))  # the mean of each step
_RANKS = len(LOSSES)


@dataclass(frozen=True)
class Parameters:
    tokens: Annotated[
        str, OneOf(*TOKENS), Text(ja="有効なトークンの数", en="numbers of valid tokens")
    ] = "unequal"


def run(rank: Rank, parameters: Parameters) -> Readings:
    from verify.parallel.collectives import corrupt_one_element
    from verify.parallel.measures import relative_difference
    from verify.parallel.tokens import Tokens, ratios

    valid = TOKENS["equal" if rank.breaks("equal-tokens") else parameters.tokens]
    connected = not rank.breaks("skip-all-reduce")
    own, losses = valid[rank.index], LOSSES[rank.index]
    summed, count = sum(n * loss for n, loss in zip(own, losses, strict=True)), sum(own)
    pairs = [(summed, count), (sum(losses), len(losses)), (summed / count, 1)]
    true_mean, mean_of_means, mean_of_ranks = ratios(pairs, exchange=connected)

    model = Tokens(valid, rank.seed)
    model.alone()
    expected = model.gradient().clone()
    everything = sum(map(sum, valid))
    gradients = []
    for weights in ([1 / len(own)] * len(own), [rank.size * n / everything for n in own]):
        model.backward(rank.index, weights)
        if connected:
            model.average()
        gradients.append(model.gradient().clone())
    plain, weighted = gradients
    if rank.breaks("one-element") and rank.index == 1:
        corrupt_one_element(weighted, rank.seed)
    return {
        "true_mean": Reading(true_mean, Source.MEASURED),
        "mean_of_means": Reading(mean_of_means, Source.MEASURED),
        "mean_of_ranks": Reading(mean_of_ranks, Source.MEASURED),
        "tokens_per_rank": Reading(count, Source.COUNTED),
        "plain_difference": Reading(relative_difference(plain, expected), Source.MEASURED),
        "weighted_difference": Reading(relative_difference(weighted, expected), Source.MEASURED),
    }


def _law(claim: str, ja: str, en: str, *tokens: str, fault: str | None = None) -> Law:
    return Law(claim, Text(ja=ja, en=en), fault=fault, only={"tokens": tokens or tuple(TOKENS)})


experiment = Experiment(
    "token-mean",
    Parameters,
    run,
    quantities=(
        per_rank("true_mean", "全トークンの平均損失", "mean loss over all tokens"),
        per_rank("mean_of_means", "ステップの平均損失の平均", "mean of the steps' mean losses"),
        per_rank(
            "mean_of_ranks",
            "ランクごとのトークン平均の平均",
            "mean of the ranks' means over their tokens",
        ),
        per_rank("tokens_per_rank", "ランクの有効なトークンの数", "number of a rank's tokens"),
        PLAIN_DIFFERENCE,
        WEIGHTED_DIFFERENCE,
    ),
    laws=(
        _law(
            "true_mean == 17/5",
            "全トークンの平均損失は 68/20 = 3.4 です。",
            "The mean loss over all tokens is 68/20 = 3.4.",
            "unequal",
            fault="skip-all-reduce",
        ),
        _law(
            "mean_of_means == 7/2",
            "4 つの平均の平均は 3.5 で、トークンの平均と違います。",
            "The mean of the four means is 3.5, which is not the mean over tokens.",
            fault="skip-all-reduce",
        ),
        _law(
            "mean_of_ranks == 13/4",
            "ランクごとのトークンの平均を平均すると 3.25 で、これも違います。",
            "The mean of the ranks' means over tokens is 3.25, which isn't it either.",
            "unequal",
            fault="skip-all-reduce",
        ),
        _law(
            "true_mean == mean_of_means",
            "トークンの数が等しければ、平均の平均はトークンの平均です。",
            "With equally many tokens the mean of means is the mean over tokens.",
            "equal",
        ),
        _law(
            "plain_difference > 0.02",
            "単純に平均した勾配は、全トークンの平均損失の勾配と異なります。",
            "The plain average of gradients is not that of the mean over all tokens.",
            "unequal",
            fault="equal-tokens",
        ),
        _law(
            "plain_difference < 1e-12",
            "トークンの数が等しければ、単純に平均した勾配も正しい値です。",
            "With equally many tokens the plain average of gradients is right as well.",
            "equal",
            fault="skip-all-reduce",
        ),
        _law(
            "weighted_difference < 1e-12",
            "トークン数の割合で重みを付ければ、全トークンの平均損失の勾配に一致します。",
            "Weighted by its share of tokens it is the gradient of the mean over all tokens.",
            fault="one-element",
        ),
    ),
    faults=(
        Fault(
            "equal-tokens",
            Text(
                ja="どのステップのトークンも 5 個にします。",
                en="Every step has 5 tokens after all.",
            ),
        ),
        Fault(
            "skip-all-reduce",
            Text(
                ja="all-reduce を行わず、各ランクが自分の値だけを使います。",
                en="The all-reduce is left out: each rank takes its own values alone.",
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
    title=Text(ja="トークンの平均", en="The mean over tokens"),
    world_size=lambda _: _RANKS,
    expected_seconds=lambda _: 0.2,
)
