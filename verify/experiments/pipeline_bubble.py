"""Consecutive layers on consecutive ranks, and microbatches that flow through them.

Each rank holds one or two stages of a small model. One training step sends the batch through them
in microbatches, in the order that a schedule of torch.distributed.pipelining decides. While a rank
waits for its neighbours it is idle: that is the bubble. It is read in three ways: by the textbook's
formula; by a replay, in unit time, of the operations that really ran, over their real dependencies;
and by the clock, from the measured busy time.

Idle time is counted over all ranks, in units of a forward. A rank that is idle before its first
backward waits for the pipeline to fill; after its last forward, for it to drain. The looped and the
V-shaped schedules have two stages on each rank; `stages` is the number of ranks all the same.

With compute=timed an operation waits for `wait` milliseconds (a full backward for twice as long)
and leaves the processor free, as a kernel on an accelerator does, so that ranks which share
processor cores don't slow each other down. With compute=real it multiplies matrices for as long;
the clock then tells the truth only where every rank has a core of its own. With wait=0 the clock
would show overheads alone, and only the replay is given.

The gradients are compared, in float64, with those of one process on the whole batch.
---
連続する層を連続するランクに置き、マイクロバッチを流します。

各ランクは小さなモデルの段を 1 つか 2 つ持ちます。学習 1 ステップで、バッチをマイクロバッチに分け、
torch.distributed.pipelining のスケジュールが決める順に段を通します。隣のランクを待つ間、ランクは
空きます。これが気泡です。気泡は 3 通りに読みます。教科書の公式、実際に走った演算の順序を本当の
依存関係のまま単位時間で並べ直した再現、そして測定した稼働時間による時計の値です。

空き時間は、順伝播 1 回を単位として全ランクで数えます。ランクの最初の逆伝播より前の空きは、
パイプラインが満ちるのを待つ時間、最後の順伝播より後の空きは、流れ終わるのを待つ時間です。ループ型と
V 字型のスケジュールでは各ランクが 2 段を持ちますが、その場合も `stages` はランク数です。

compute=timed では、演算は `wait` ミリ秒(逆伝播全体はその 2 倍)だけ待ち、アクセラレータのカーネルと
同じようにその間プロセッサを空けます。そのため、コアを分け合うランクが互いを遅らせません。compute=real
では同じだけの時間がかかる行列積を計算します。このときの時計の値は、どのランクにも専用のコアがある場合に
だけ正しくなります。wait=0 では時計に映るのは処理の手間だけなので、再現だけを示します。

勾配は float64 で、バッチ全体を 1 プロセスで計算したものと比べます。
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any

from verify.experiment import Between, Experiment, Fault, Law, OneOf
from verify.pipelines import SCHEDULES, PipelineSchedule
from verify.probes.replay import Kind, held, operations_of, pack, replay, unpack
from verify.probes.timeline import BusyTime, busy_time, wall_bubble
from verify.quantities import Reading, Readings, Source, Unmeasured
from verify.text import Text
from verify.vocabulary import (
    PARAMETERS_HELD,
    PARAMETERS_TOTAL,
    WIRE,
    Microbatches,
    Schedule,
    Stages,
    per_rank,
    scalar,
    size,
)

if TYPE_CHECKING:
    from verify.worlds.rank import Rank


@dataclass(frozen=True)
class Parameters:
    stages: Stages = 4
    microbatches: Microbatches = 8
    schedule: Schedule = "gpipe"
    wait: Annotated[
        int,
        Between(0, 1000),
        Text(
            ja="順伝播 1 回のミリ秒(逆伝播は 2 倍)",
            en="milliseconds of a forward (a backward takes twice that)",
        ),
    ] = 50
    compute: Annotated[
        str,
        OneOf("timed", "real"),
        Text(
            ja="計算の代わり: 待ち時間(timed)か行列積(real)",
            en="what takes the time: a timed wait or real matrix products",
        ),
    ] = "timed"
    batch: Annotated[
        int, Between(1, 4096), Text(ja="バッチのサンプル数", en="samples in a batch")
    ] = 960
    hidden: Annotated[int, Between(1, 512), Text(ja="隠れ層の幅", en="hidden size")] = 64


def _schedule(parameters: Parameters) -> PipelineSchedule:
    return SCHEDULES[parameters.schedule]


def refuse(parameters: Parameters) -> Text | None:
    """What torch would refuse on one rank only, so that the others would wait for ever."""
    if parameters.batch % parameters.microbatches:
        return Text(
            ja=f"batch={parameters.batch} は microbatches={parameters.microbatches} で"
            "割り切れません。割り切れる値にしてください。",
            en=f"batch={parameters.batch} can't be divided into "
            f"microbatches={parameters.microbatches} equal parts; choose a multiple of it.",
        )
    return _schedule(parameters).refuse(parameters.stages, parameters.microbatches)


def run(rank: Rank, parameters: Parameters) -> Readings:
    from verify.parallel.pipeline import Pace, Pipeline, Problem, relative_difference

    plan = _schedule(parameters)
    problem = Problem.draw(
        plan.virtual * rank.size, parameters.batch, parameters.hidden, rank.seed, rank.device
    )
    reference = problem.reference()
    pipeline = Pipeline.build(
        plan,
        problem,
        parameters.microbatches,
        rank=rank.index,
        ranks=rank.size,
        serial=rank.breaks("serial"),
        average=not rank.breaks("sum-not-mean"),
    )
    pipeline.warm_up(problem)
    seconds = parameters.wait / 1000
    pace = Pace(seconds=seconds)
    if parameters.compute == "real":
        # Rank 0 alone finds out how much work that is, so that all do the same.
        alone = Pace.real(seconds).products if rank.index == 0 else 0
        pace = Pace(products=rank.exchange(alone)[0])
    pipeline.observe(rank.timeline, pace, stale=rank.breaks("stale"))
    with rank.wire.window() as wire:
        pipeline.step(problem)

    spans = rank.timeline.spans()
    operations = operations_of(spans)
    clock = busy_time([span for span in spans if span.kind in set(Kind)])
    own = [g for index in plan.stages_of(rank.index, rank.size) for g in reference[index]]
    gradients = [p.grad for p in pipeline.parameters() if p.grad is not None]
    return {
        **wire.readings(),
        "held": Reading(held(operations), Source.COUNTED),
        "operations": Reading(len(operations), Source.COUNTED),
        "messages": Reading(len(pipeline.messages), Source.COUNTED),
        "boundary": Reading(max(pipeline.messages), Source.COUNTED),
        "gradient_difference": Reading(relative_difference(gradients, own), Source.MEASURED),
        "parameters_held": Reading(sum(p.nbytes for p in pipeline.parameters()), Source.COUNTED),
        "parameters_total": Reading(
            sum(p.nbytes for layer in problem.layers for p in layer.parameters()), Source.COUNTED
        ),
        "_operations": Reading(pack(operations), Source.COUNTED),
        "_clock": Reading((clock.busy, clock.first, clock.last), Source.MEASURED),
    }


def conclude(parameters: Parameters, ranks: Sequence[Mapping[str, Any]]) -> Readings:
    """The bubble needs every rank's operations."""
    replayed = replay([unpack(readings["_operations"].value) for readings in ranks])
    idle = replayed.idle
    counted: dict[str, int | Fraction] = {
        "bubble_replay": replayed.bubble,
        "idle_over_useful": replayed.idle_over_useful,
        "replay_length": replayed.length,
        "idle_start": idle.start,
        "idle_middle": idle.middle,
        "idle_end": idle.end,
        "all_busy": replayed.all_busy,
        "busy_ranks": replayed.busy_ranks,
    }
    concluded: Readings = {n: Reading(v, Source.COUNTED) for n, v in counted.items()}
    clocks = [BusyTime(*readings["_clock"].value) for readings in ranks]
    concluded["bubble_wall"] = (
        Reading(wall_bubble(clocks), Source.MEASURED) if parameters.wait else _NOT_TIMED
    )
    return concluded


_NOT_TIMED = Unmeasured(
    Text(
        ja="wait=0 では計算に時間がかからないので、時計で空きを測れません(wait=50 など)。",
        en="with wait=0 no operation takes time, so the clock can't show the bubble (try wait=50).",
    )
)


QUANTITIES = (
    scalar("bubble_replay", "再現した気泡率", "replayed bubble"),
    scalar("bubble_wall", "時計で測った気泡率", "bubble by the clock", timed=True),
    scalar("idle_over_useful", "有効な計算に対する空きの比", "idle time per useful time"),
    scalar("replay_length", "1 ステップの長さ", "length of a step"),
    scalar("idle_start", "パイプラインが満ちるまでの空き", "idle time while the pipeline fills"),
    scalar("idle_middle", "途中の空き", "idle time midway"),
    scalar("idle_end", "パイプラインが流れ終わるまでの空き", "idle time while the pipeline drains"),
    scalar(
        "all_busy",
        "全ランクが働いている時間の割合",
        "share of time in which every rank is busy",
    ),
    scalar("busy_ranks", "働いているランク数の平均", "mean number of busy ranks"),
    per_rank("held", "同時に保持する活性化の最大数", "most activations held at once"),
    per_rank("operations", "演算の数", "number of operations"),
    per_rank("messages", "送ったメッセージの数", "number of messages sent"),
    size(
        "boundary",
        "1 マイクロバッチの境界の活性化の大きさ",
        "size of a microbatch's activation at a boundary",
    ),
    *WIRE,
    per_rank(
        "gradient_difference",
        "分割しないモデルの勾配との相対差",
        "relative difference from the unsplit model's gradient",
    ),
    PARAMETERS_HELD,
    PARAMETERS_TOTAL,
)

_PLAIN = ("gpipe", "1f1b")
_LOOPED = ("interleaved-1f1b", "looped-bfs")
_V_SHAPED = ("zbv", "dualpipev")
_ALL = tuple(SCHEDULES)


def _law(
    schedules: Sequence[str],
    claim: str,
    meaning: Text,
    *,
    when: str | None = None,
    fault: str | None = None,
) -> Law:
    return Law(claim, meaning, when, fault, {"schedule": tuple(schedules)})


def _bubble_laws(schedules: Sequence[str], work: str, factor: str, spare: str) -> tuple[Law, ...]:
    """What the textbook says of the bubble of these schedules.

    A rank is busy for factor × work units of time and idle for factor × (stages − 1). It holds
    where `spare`, in microbatches, isn't negative.
    """
    bubble = f"(stages-1)/({work}+stages-1)"
    return (
        _law(
            schedules,
            f"bubble_replay == {bubble}",
            Text(ja="気泡率は公式のとおりである", en="the bubble is the textbook's"),
            when=f"{spare} >= 0",
            fault="serial",
        ),
        _law(
            # In torch's DualPipeV a forward that is overlapped with a backward sends its result
            # after both, so that the next stage waits longer and the clock shows a larger bubble.
            [name for name in schedules if name != "dualpipev"],
            f"bubble_wall == {bubble} ± 0.03",
            Text(ja="時計で測っても公式のとおりである", en="and so it is by the clock"),
            # A wait shorter than 20 ms is no longer long beside the time that messages take.
            when=f"min(wait-20, {spare}) >= 0",
            fault="serial",
        ),
        _law(
            schedules,
            f"idle_over_useful == (stages-1)/({work})",
            Text(
                ja="もう 1 つの流儀では、空きを有効な計算で割る",
                en="the other convention divides the idle time by the useful time",
            ),
            when=f"{spare} >= 0",
            fault="serial",
        ),
        _law(
            schedules,
            f"replay_length == {factor}*({work}+stages-1)",
            Text(ja="1 ステップの長さ", en="the length of a step"),
            when=f"{spare} >= 0",
            fault="serial",
        ),
    )


def _traffic_laws(schedules: Sequence[str], boundaries: str) -> tuple[Law, ...]:
    """What goes over so many boundaries between ranks."""
    return (
        _law(
            schedules,
            f"sum(messages) == 2*{boundaries}*microbatches",
            Text(
                ja="各境界を活性化が下り、その勾配が上る",
                en="over each boundary go the activations, and back come their gradients",
            ),
        ),
        _law(
            schedules,
            f"sum(wire_sent) == 2*{boundaries}*microbatches*boundary ± 2%",
            Text(
                ja="送信量は境界の活性化の大きさで決まる",
                en="what is sent is set by the size of the boundary's activation",
            ),
            # gloo frames each message with 144 B: below 2 % of 8,000 B.
            when="batch*hidden >= 1000*microbatches",
        ),
    )


_HOLDS_ALL = Text(
    ja="全マイクロバッチの活性化を保持する", en="it holds the activations of all microbatches"
)
_OPERATIONS = Text(
    ja="演算の数はマイクロバッチ数に比例する",
    en="the number of operations grows with the microbatches",
)

LAWS = (
    *_bubble_laws(_PLAIN, "microbatches", "3", "microbatches-1"),
    *_bubble_laws(_LOOPED, "2*microbatches", "3", "microbatches-stages"),
    *_bubble_laws(("interleaved-zero-bubble",), "6*microbatches", "1", "microbatches-stages"),
    *_bubble_laws(_V_SHAPED, "6*microbatches", "1", "microbatches-2*stages"),
    _law(
        ("gpipe", "1f1b", "looped-bfs"),
        "idle_middle == 0",
        Text(
            ja="空きは始めと終わりだけにある",
            en="the idle time lies at the start and at the end",
        ),
        when="microbatches >= 2",
        fault="serial",
    ),
    _law(
        _PLAIN,
        "all_busy == (microbatches-stages+1)/(microbatches+stages-1)",
        Text(
            ja="全ランクが同時に働くのは一部の時間だけである",
            en="all ranks are busy at once for a part of the time only",
        ),
        when="microbatches >= stages",
        fault="serial",
    ),
    _law(
        _PLAIN,
        "busy_ranks == stages*microbatches/(microbatches+stages-1)",
        Text(ja="働いているランク数の平均", en="how many ranks are busy on average"),
        when="microbatches >= 2",
        fault="serial",
    ),
    _law(("gpipe",), "held == microbatches", _HOLDS_ALL, when="microbatches >= 2", fault="serial"),
    _law(
        ("looped-bfs",),
        "held == 2*microbatches",
        _HOLDS_ALL,
        when="microbatches >= 2",
        fault="serial",
    ),
    _law(
        ("1f1b",),
        "held == min(microbatches, stages-rank)",
        Text(
            ja="保持するのは、自分以降の段の数までである",
            en="it holds at most as many as there are stages from here on",
        ),
        fault="serial",
    ),
    _law(_PLAIN, "operations == 2*microbatches", _OPERATIONS),
    _law(_LOOPED, "operations == 4*microbatches", _OPERATIONS),
    _law(("interleaved-zero-bubble", "zbv"), "operations == 6*microbatches", _OPERATIONS),
    *_traffic_laws(_PLAIN, "(stages-1)"),
    *_traffic_laws((*_LOOPED, "interleaved-zero-bubble"), "(2*stages-1)"),
    *_traffic_laws(_V_SHAPED, "(2*stages-2)"),
    _law(
        _ALL,
        "gradient_difference < 1e-12",
        Text(
            ja="勾配は分割しないモデルと同じである",
            en="the gradients are those of the unsplit model",
        ),
        when="microbatches >= 2",
        fault="stale",
    ),
    _law(
        _ALL,
        "sum(parameters_held) == parameters_total",
        Text(ja="パラメータは段に分けて持たれる", en="the parameters are divided among the stages"),
    ),
)

FAULTS = (
    Fault(
        "serial",
        Text(
            ja="マイクロバッチを 1 つずつ最後まで流し、重ねない",
            en="run each microbatch to its end before the next one starts",
        ),
    ),
    Fault(
        "stale",
        Text(
            ja="ほかのマイクロバッチが流れている間に、各段がパラメータを更新する",
            en="each stage updates its parameters while other microbatches are under way",
        ),
    ),
    Fault(
        "sum-not-mean",
        Text(
            ja="マイクロバッチの勾配を平均せず、合計する",
            en="add up the gradients of the microbatches instead of averaging them",
        ),
    ),
)


def _expected_seconds(parameters: Parameters) -> float:
    units = _schedule(parameters).ideal_length(parameters.stages, parameters.microbatches)
    handling = 0.3 + 0.003 * parameters.stages * parameters.microbatches
    layers = parameters.stages * _schedule(parameters).virtual
    samples = parameters.batch * (parameters.stages + 1)  # every rank also runs the whole model
    products = 6 * parameters.hidden**2 * layers * samples / 30e9  # measured on two cores
    return handling + products + units * parameters.wait / 1000


experiment = Experiment(
    "pipeline-bubble",
    Parameters,
    run,
    quantities=QUANTITIES,
    laws=LAWS,
    faults=FAULTS,
    title=Text(ja="パイプライン並列の気泡", en="The bubble of pipeline parallelism"),
    world_size=lambda parameters: int(parameters.stages),
    refuse=refuse,
    conclude=conclude,
    repeats=lambda parameters: 5 if parameters.wait else 1,
    expected_seconds=_expected_seconds,
    on_device=True,
)
