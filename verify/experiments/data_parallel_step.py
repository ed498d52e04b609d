"""One step of data-parallel training, beside one process that sees all the samples.

Every rank holds the whole model (a small perceptron in float64) and `batch` samples of its own.
DistributedDataParallel takes the gradient of the mean loss over them, averages it over all ranks
with an all-reduce, and every rank applies θ ← θ − ηg. The last of `steps` steps is measured: the
first ones rebuild DDP's buckets, which sends bytes of its own.

Beside it, each rank also trains the same model alone on the samples of all ranks joined. Since
every rank holds equally many samples, the average of the ranks' gradients is the gradient of the
big batch, so both ways must agree to float64's rounding. A fault strikes the measured step only.
---
データ並列の訓練の 1 ステップを、全サンプルを 1 プロセスで計算した場合と比べます。

どのランクも、モデル全体（float64 の小さなパーセプトロン）と、自分の `batch` 個のサンプルを持ちま
す。DistributedDataParallel は、それらの平均損失の勾配を求め、all-reduce で全ランクの平均をとり、各
ランクが θ ← θ − ηg と更新します。測定するのは、`steps` 回のうち最後のステップです。最初のうちは、
DDP がバケットを作り直し、そのための通信が加わるからです。

各ランクは、全ランクのサンプルを合わせて、同じモデルを単独でも訓練します。どのランクのサンプル数も等
しいので、各ランクの勾配の平均は大きなバッチの勾配に等しく、2 つの結果は float64 の丸めの範囲で一致
するはずです。故障が起こるのは、測定するステップだけです。
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from verify.experiment import Between, Experiment, Fault, Law
from verify.quantities import Reading, Readings, Source
from verify.text import Text
from verify.vocabulary import (
    GRADIENT,
    GRADIENT_DIFFERENCE,
    PARAMETERS_HELD,
    PARAMETERS_TOTAL,
    SAMPLES_DISTINCT,
    WIRE,
    HiddenWidth,
    Ranks,
    SamplesPerRank,
    per_rank,
    scalar,
)

if TYPE_CHECKING:
    from verify.worlds.rank import Rank


@dataclass(frozen=True)
class Parameters:
    ranks: Ranks = 4
    batch: SamplesPerRank = 8
    hidden: HiddenWidth = 512
    steps: Annotated[int, Between(3, 20), Text(ja="ステップ数", en="number of steps")] = 3
    learning_rate: Annotated[float, Between(0.01, 1), Text(ja="学習率", en="learning rate")] = 0.1


def run(rank: Rank, parameters: Parameters) -> Readings:
    from verify.parallel.collectives import of_first
    from verify.parallel.data_parallel import Training
    from verify.parallel.measures import (
        bytes_of,
        gradients_of,
        joined,
        relative_difference,
        size_of,
    )

    training = Training(
        rank.index,
        rank.size,
        hidden=parameters.hidden,
        batch=parameters.batch,
        learning_rate=parameters.learning_rate,
        seed=rank.seed,
    )
    for _ in range(parameters.steps - 1):
        training.backward()
        training.backward_alone()
        training.update()

    digests = [
        hashlib.blake2b(sample.numpy().tobytes(), digest_size=16).hexdigest()
        for sample in training.samples()
    ]
    distinct = len({digest for listed in rank.exchange(digests) for digest in listed})

    before = training.weights()
    with rank.wire.window() as wire, rank.timeline.span("X"):
        training.backward(rank.fault)
    training.backward_alone()
    gradients = gradients_of(training.replica)
    gradient = joined(gradients)
    expected = joined(gradients_of(training.alone))
    training.update()
    after = training.weights()

    applied, wanted = after - before, -parameters.learning_rate * expected
    drift, spread = ((t - of_first(t)).abs().max().item() for t in (after, gradient))
    return {
        **wire.readings(),
        "gradient": Reading(bytes_of(gradients), Source.COUNTED),
        "parameters_held": Reading(size_of(training.replica), Source.COUNTED),
        "parameters_total": Reading(size_of(training.alone), Source.COUNTED),
        "gradient_difference": Reading(relative_difference(gradient, expected), Source.MEASURED),
        "gradient_spread": Reading(max(rank.exchange(spread)), Source.MEASURED),
        "replica_spread": Reading(max(rank.exchange(drift)), Source.MEASURED),
        "update_difference": Reading(relative_difference(applied, wanted), Source.MEASURED),
        "update_ratio": Reading((applied.norm() / wanted.norm()).item(), Source.MEASURED),
        "samples_distinct": Reading(distinct, Source.COUNTED),
    }


def _expected_seconds(parameters: Parameters) -> float:
    """Measured on two cores; each rank's own training alone grows with all ranks' samples."""
    samples = parameters.ranks * (parameters.ranks + 1) * parameters.batch
    operations = 12 * parameters.hidden**2 * samples * parameters.steps
    return 0.3 + 0.03 * parameters.ranks + operations / 5e9


# Over many large steps training is unstable: it makes of a rounding error one that can be seen.
_STABLE = "learning_rate*steps <= 1"

experiment = Experiment(
    "data-parallel-step",
    Parameters,
    run,
    quantities=(
        GRADIENT,
        PARAMETERS_HELD,
        PARAMETERS_TOTAL,
        *WIRE,
        GRADIENT_DIFFERENCE,
        scalar(
            "gradient_spread",
            "平均した勾配のランク間の最大差",
            "largest difference between the ranks' averaged gradients",
        ),
        scalar(
            "replica_spread",
            "更新後のパラメータのランク間の最大差",
            "largest difference between the updated replicas",
        ),
        per_rank("update_difference", "更新量の相対誤差", "relative error of the update"),
        per_rank(
            "update_ratio",
            "学習率倍の平均勾配に対する更新量の比",
            "ratio of the update to learning rate times mean gradient",
        ),
        SAMPLES_DISTINCT,
    ),
    laws=(
        Law(
            "wire_sent == 2*(ranks-1)/ranks*gradient ± 1%",
            Text(
                ja="各ランクは勾配の 2(N−1)/N 倍を送ります。",
                en="Each rank sends 2(N−1)/N times the gradient.",
            ),
            when="hidden >= 512",  # in a small gradient the headers of the messages show
            fault="skip-all-reduce",
        ),
        Law(
            "wire_received == wire_sent ± 1% of gradient",
            Text(
                ja="各ランクは送った分だけ受け取ります。",
                en="Each rank receives as much as it sends.",
            ),
            when="hidden >= 512",
        ),
        Law(
            "gradient == parameters_total",
            Text(
                ja="勾配はパラメータと同じ大きさです。",
                en="The gradient is as large as the parameters.",
            ),
        ),
        Law(
            "parameters_held == parameters_total",
            Text(
                ja="どのランクもモデル全体を保持します。",
                en="Every rank holds the whole model.",
            ),
        ),
        Law(
            "samples_distinct == ranks*batch",
            Text(
                ja="ランクごとに異なるサンプルを処理します。",
                en="Every rank works on samples of its own.",
            ),
        ),
        Law(
            "gradient_difference < 1e-12",
            Text(
                ja="平均した勾配は、全サンプルを 1 プロセスで計算した勾配に一致します。",
                en="The averaged gradient is one process's gradient over all the samples.",
            ),
            when=_STABLE,
            fault="stale-rank",
        ),
        Law(
            "gradient_spread == 0",
            Text(
                ja="平均した勾配は全ランクでビット単位まで同じです。",
                en="The averaged gradient is the same on all ranks, to the bit.",
            ),
            fault="one-element",
        ),
        Law(
            "replica_spread == 0",
            Text(
                ja="更新後の複製は全ランクでビット単位まで同じです。",
                en="The updated replicas are the same on all ranks, to the bit.",
            ),
            fault="swapped",
        ),
        Law(
            "update_difference < 1e-12",
            Text(
                ja="各ランクの更新量は −η × 平均勾配です。",
                en="Every rank's update is −η times the mean gradient.",
            ),
            when=_STABLE,
            fault="stale",
        ),
        Law(
            "update_ratio == 1 ± 0.01%",
            Text(
                ja="更新に使うのは勾配の合計ではなく平均です。",
                en="The update uses the mean of the gradients, not their sum.",
            ),
            fault="sum-not-mean",
        ),
    ),
    faults=(
        Fault(
            "skip-all-reduce",
            Text(
                ja="勾配の all-reduce を行わず、各ランクが自分の勾配で更新します。",
                en="The all-reduce is left out: each rank applies its own gradient.",
            ),
        ),
        Fault(
            "sum-not-mean",
            Text(
                ja="勾配を平均せず、合計のまま更新に使います。",
                en="The gradients are added up and not averaged.",
            ),
        ),
        Fault(
            "stale",
            Text(
                ja="1 つ前のステップの勾配で更新します。",
                en="The gradient of the step before is applied.",
            ),
        ),
        Fault(
            "stale-rank",
            Text(
                ja="ランク 1 だけが、手元に残る 1 つ前のステップの勾配を all-reduce に渡します。",
                en="Rank 1 alone hands the all-reduce what it still holds of the step before.",
            ),
        ),
        Fault(
            "swapped",
            Text(
                ja="ランク 1 だけが、同じ形の 2 つの勾配を逆の順序で all-reduce します。",
                en="Rank 1 alone reduces two gradients of the same shape in swapped order.",
            ),
        ),
        Fault(
            "one-element",
            Text(
                ja="ランク 1 の平均勾配の要素を 1 つだけ壊します。",
                en="One element of rank 1's averaged gradient is corrupted.",
            ),
        ),
    ),
    title=Text(ja="データ並列の 1 ステップ", en="One step of data parallelism"),
    expected_seconds=_expected_seconds,
)
