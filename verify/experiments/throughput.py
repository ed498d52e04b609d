"""Samples per second on several ranks, compared with one rank.

The model has as many equal layers as there are ranks. First rank 0 trains it alone: one step on one
batch. Then all ranks take one step together.

method=data: every rank holds the whole model and takes a batch of its own, and an all-reduce
averages the gradients. N ranks do N batches in the time of one, and a little for the all-reduce.

method=model: every rank holds one layer. A single batch goes through them forward, and its gradient
back. This is naive model parallelism: while one rank computes, all others wait in a receive for
what it sends, so N ranks do one batch in the time that one rank needs for it. Each is busy for 1/N
of that time. (Pipeline parallelism mends this: see pipeline-bubble.)

A forward through the whole model waits for `wait` milliseconds in all, however many layers it has,
and a backward for twice as long. The waits leave the processor free, as a kernel on an accelerator
does; so the ranks don't slow each other down where there are fewer processor cores than ranks.

Both are done three times and the quickest counts, so that what else the machine does counts for
little. `utilisation` is exact: a replay, in unit time, of the operations that ran. `busy_share` is
the same by the clock. The gradients are compared, in float64, with those of one process on all the
samples.
---
複数のランクで 1 秒に処理できるサンプル数を、1 台の場合と比べます。

モデルは、ランク数と同じ数の等しい層からなります。まずランク 0 が単独で、1 つのバッチで 1 ステップ
学習します。次に、全ランクが一緒に 1 ステップ学習します。

method=data では、どのランクもモデル全体を持ち、自分のバッチを処理し、all-reduce で勾配を平均しま
す。N 台は、1 台分の時間に all-reduce の時間をわずかに加えるだけで、N 個のバッチを処理します。

method=model では、各ランクが 1 層を持ちます。1 つのバッチが順伝播で各層を通り、その勾配が戻りま
す。これが素朴なモデル並列です。1 台が計算する間、ほかの全ランクはその結果を受信で待つので、N 台あ
っても、1 台と同じ時間で 1 つのバッチしか処理できません。各ランクが働くのはその時間の 1/N です（こ
れを改めるのがパイプライン並列です。pipeline-bubble を参照してください）。

モデル全体の順伝播は、層の数によらず合わせて `wait` ミリ秒、逆伝播はその 2 倍だけ待ち、アクセラレー
タのカーネルと同じようにその間プロセッサを空けます。そのため、コアがランク数より少なくても、ランク
が互いを遅らせません。

どちらも 3 回ずつ行い、最も速い回を採るので、マシンのほかの負荷に左右されにくくなっていま
す。`utilisation` は、実際に走った演算を単位時間で並べ直した厳密な値です。`busy_share` は同じものを
時計で測った値です。勾配は float64 で、全サンプルを 1 プロセスで計算したものと比べます。
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from verify.experiment import Between, Experiment, Fault, Law, OneOf
from verify.probes.replay import operations_of, pack, replay, unpack
from verify.probes.timeline import Timeline, busy_time
from verify.quantities import Quantity, Reading, Readings, Shape, Source
from verify.text import Text
from verify.units import Unit
from verify.vocabulary import GRADIENT_DIFFERENCE, FewRanks, scalar, seconds_per_rank

if TYPE_CHECKING:
    from verify.worlds.rank import Rank


_TIMES = 3


@dataclass(frozen=True)
class Parameters:
    method: Annotated[
        str,
        OneOf("data", "model"),
        Text(ja="並列の方法", en="kind of parallelism"),
    ] = "data"
    ranks: FewRanks = 4
    batch: Annotated[
        int,
        Between(1, 256),
        Text(ja="1 バッチのサンプル数", en="number of samples in a batch"),
    ] = 8
    wait: Annotated[
        int,
        Between(1, 300),
        Text(ja="モデル全体の順伝播のミリ秒", en="milliseconds of a forward through the model"),
    ] = 12


def run(rank: Rank, parameters: Parameters) -> Readings:
    from verify.parallel import layers
    from verify.parallel.measures import joined, relative_difference

    size, batch = rank.size, parameters.batch
    seconds = parameters.wait / 1000 / size  # of one layer's forward
    data, connected = parameters.method == "data", not rank.breaks("skip-communication")
    model = layers.make_layers(size, rank.seed)
    samples, targets = layers.draw_batch(batch * (size if data else 1), rank.seed)
    wanted = layers.reference(model, samples, targets)

    whole = dict(enumerate(model))
    linked = connected and not data
    part = layers.Part(
        whole if data else {rank.index: model[rank.index]},
        before=rank.index - 1 if linked and rank.index > 0 else None,
        after=rank.index + 1 if linked and rank.index < size - 1 else None,
    )
    own = slice(rank.index * batch, (rank.index + 1) * batch) if data else slice(None)
    turns = range(size) if data and rank.breaks("serial") else [rank.index]

    def step(timeline: Timeline, pace: float) -> None:
        part.clear()
        rank.barrier()
        for turn in turns:
            if turn == rank.index:
                number = rank.index if data else 0
                part.step(samples[own], targets[own], timeline, pace, number)
            if len(turns) > 1:
                rank.barrier()
        if data and connected:
            part.average(size, timeline)

    step(Timeline(rank.index), 0)  # opens the connections
    alone = []
    for _ in range(_TIMES if rank.index == 0 else 0):
        timeline = Timeline(rank.index)
        layers.Part(whole).step(samples[:batch], targets[:batch], timeline, seconds)
        clock = busy_time(timeline.spans())
        alone.append(clock.last - clock.first)
    clocks, blocked = [], []
    for _ in range(_TIMES):
        rank.timeline.clear()
        step(rank.timeline, seconds)
        spans = rank.timeline.spans()
        computing = [span for span in spans if span.kind != layers.COMMUNICATION]
        clocks.append((busy_time(computing).busy, busy_time(spans).first, busy_time(spans).last))
        blocked.append(sum(s.end - s.start for s in spans if s.kind == layers.COMMUNICATION))

    theirs = [gradient for place in part.layers for gradient in wanted[place]]
    difference = relative_difference(joined(part.gradients()), joined(theirs))
    return {
        "blocked": Reading(min(blocked), Source.MEASURED),
        "gradient_difference": Reading(difference, Source.MEASURED),
        "_operations": Reading(pack(operations_of(rank.timeline.spans())), Source.COUNTED),
        "_clocks": Reading(tuple(x for clock in clocks for x in clock), Source.MEASURED),
        "_alone": Reading(min(alone, default=0.0), Source.MEASURED),
    }


def conclude(parameters: Parameters, ranks: Sequence[Mapping[str, Any]]) -> Readings:
    """A step lasts from the first start on any rank to the last end on any."""
    replayed = replay([unpack(readings["_operations"].value) for readings in ranks])
    clocks = [readings["_clocks"].value for readings in ranks]
    steps = []  # seconds that each step took, and its busy seconds over all ranks
    for place in range(0, 3 * _TIMES, 3):
        busy, first, last = zip(*(clock[place : place + 3] for clock in clocks), strict=True)
        steps.append((max(last) - min(first), sum(busy)))
    seconds, busy_seconds = min(steps)
    alone = ranks[0]["_alone"].value
    batches = len(ranks) if parameters.method == "data" else 1
    measured = {
        "throughput": batches * parameters.batch / seconds,
        "throughput_alone": parameters.batch / alone,
        "rate_gain": batches * alone / seconds,
        "busy_share": busy_seconds / (len(ranks) * seconds),
    }
    return {
        "utilisation": Reading(1 - replayed.bubble, Source.COUNTED),
        **{name: Reading(value, Source.MEASURED) for name, value in measured.items()},
    }


def _law(method: str, claim: str, ja: str, en: str, fault: str | None) -> Law:
    # Shorter waits are no longer long beside the time that messages take.
    when = "wait >= 10" if set(claim.split()) & _TIMED else None
    return Law(claim, Text(ja=ja, en=en), when, fault, {"method": (method,)})


_TIMED = {"rate_gain", "busy_share", "blocked[0]"}
_PER_SECOND = Unit(seconds=-1)

experiment = Experiment(
    "throughput",
    Parameters,
    run,
    quantities=(
        Quantity(
            "throughput",
            _PER_SECOND,
            Shape.SCALAR,
            Text(ja="1 秒に処理するサンプル数", en="samples per second"),
            timed=True,
        ),
        Quantity(
            "throughput_alone",
            _PER_SECOND,
            Shape.SCALAR,
            Text(ja="1 台が 1 秒に処理するサンプル数", en="samples per second on one rank"),
            timed=True,
        ),
        scalar("rate_gain", "1 台に対する処理速度の比", "gain in speed over one rank", timed=True),
        scalar("utilisation", "稼働率", "utilisation"),
        scalar("busy_share", "時計で測った稼働率", "utilisation by the clock", timed=True),
        seconds_per_rank("blocked", "通信で待つ時間", "time spent waiting in communication"),
        GRADIENT_DIFFERENCE,
    ),
    laws=(
        _law(
            "data",
            "utilisation == 1",
            "計算中、どのランクも空きません。",
            "No rank is idle while there is something to compute.",
            None,
        ),
        _law(
            "data",
            "rate_gain > 0.6*ranks",
            "処理速度はランク数にほぼ比例します。",
            "The speed grows nearly as the number of ranks.",
            "serial",
        ),
        _law(
            "data",
            "busy_share > 0.6",
            "どのランクも大半の時間は計算しています。",
            "Every rank computes for most of the time.",
            "serial",
        ),
        _law(
            "data",
            "gradient_difference < 1e-12",
            "平均した勾配は、全サンプルを 1 プロセスで計算した勾配に一致します。",
            "The averaged gradient is one process's gradient over all the samples.",
            "skip-communication",
        ),
        _law(
            "model",
            "utilisation == 1/ranks",
            "一度に働くのは 1 台だけなので、稼働率は 1/N です。",
            "One rank works at a time, so the utilisation is 1/N.",
            None,
        ),
        _law(
            "model",
            "rate_gain < 1.25",
            "ランクを増やしても、1 台より速くなりません。",
            "More ranks are no faster than one.",
            "skip-communication",
        ),
        _law(
            "model",
            "busy_share < 1.25/ranks",
            "時計で測っても、各ランクが働くのは時間の 1/N です。",
            "By the clock, too, each rank is busy for 1/N of the time.",
            "skip-communication",
        ),
        _law(
            "model",
            "blocked[0] > 2.5*(ranks-1)/ranks*wait*1 ms",
            "先頭のランクは、ほかの全ランクの計算が終わるまで受信で待ちます（3(N−1)/N × wait）。",
            "The first rank waits in a receive for the compute of all others (3(N−1)/N × wait).",
            "skip-communication",
        ),
        _law(
            "model",
            "gradient_difference < 1e-12",
            "各ランクの勾配は、分割しないモデルと同じです。",
            "Every rank's gradient is the unsplit model's.",
            "skip-communication",
        ),
    ),
    faults=(
        Fault(
            "serial",
            Text(
                ja="データ並列のランクが、同時にではなく順番に計算します。",
                en="The ranks of data parallelism compute in turn, not at once.",
            ),
        ),
        Fault(
            "skip-communication",
            Text(
                ja="ランク間で何も送りません。どのランクも待たずに計算します。",
                en="The ranks send each other nothing, and none waits for another.",
            ),
        ),
    ),
    title=Text(ja="スループット", en="Throughput"),
    conclude=conclude,
    repeats=lambda _: 5,
    expected_seconds=lambda p: 0.05 + 2 * _TIMES * 3 * p.wait / 1000,
)
