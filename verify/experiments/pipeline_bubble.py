"""Consecutive layers on consecutive ranks, and micro-batches that flow through them.

Each rank holds one or two stages of a small model. One training step sends the batch through them
in micro-batches, in the order that a schedule of torch.distributed.pipelining decides. While a rank
waits for its neighbours it is idle: that is the bubble. It is read in three ways: by the textbook's
formula; by a replay, in unit time, of the operations that really ran, over their real dependencies;
and by the clock, from the measured busy time.

With compute=timed an operation waits for `wait` milliseconds (a full backward for twice as long)
and leaves the processor free, as a kernel on an accelerator does, so that ranks which share
processor cores don't slow each other down. With compute=real it multiplies matrices for as long;
the clock then tells the truth only where every rank has a core of its own. With wait=0 the clock
would show overheads alone, and only the replay is given.

The gradients are compared, in float64, with those of one process on the whole batch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any

from verify.experiment import Between, Experiment, Fault, Law, OneOf
from verify.pipelines import SCHEDULES, PipelineSchedule
from verify.probes.replay import held, operations_of, pack, replay, unpack
from verify.probes.timeline import BusyTime, busy_time, wall_bubble
from verify.quantities import Quantity, Reading, Readings, Shape, Source, Unmeasured
from verify.text import Text
from verify.units import BYTE, ONE

if TYPE_CHECKING:
    from verify.worlds.rank import Rank


@dataclass(frozen=True)
class Parameters:
    stages: Annotated[int, Between(2, 8), Text(ja="段数(ランク数)", en="stages, one per rank")] = 4
    microbatches: Annotated[
        int, Between(1, 64), Text(ja="マイクロバッチ数", en="micro-batches")
    ] = 8
    schedule: Annotated[str, OneOf(*SCHEDULES), Text(ja="スケジュール", en="schedule")] = "gpipe"
    wait: Annotated[
        int,
        Between(0, 1000),
        Text(
            ja="1 段・1 マイクロバッチの順伝播のミリ秒(逆伝播は 2 倍)",
            en="milliseconds of one forward (twice for a backward)",
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
    batch: Annotated[int, Between(1, 4096), Text(ja="バッチの標本数", en="samples in a batch")] = (
        960
    )
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
    clock = busy_time(spans)
    own = [g for index in plan.stages_of(rank.index, rank.size) for g in reference[index]]
    gradients = [p.grad for p in pipeline.parameters() if p.grad is not None]
    return {
        **wire.readings(),
        "held": Reading(held(operations), Source.COUNTED),
        "operations": Reading(len(operations), Source.COUNTED),
        "messages": Reading(len(pipeline.messages), Source.COUNTED),
        "boundary": Reading(max(pipeline.messages), Source.MEASURED),
        "gradient_difference": Reading(relative_difference(gradients, own), Source.MEASURED),
        "parameters_held": Reading(sum(p.nbytes for p in pipeline.parameters()), Source.MEASURED),
        "parameters_total": Reading(
            sum(p.nbytes for layer in problem.layers for p in layer.parameters()), Source.MEASURED
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


def _scalar(name: str, ja: str, en: str, *, timed: bool = False) -> Quantity:
    return Quantity(name, ONE, Shape.SCALAR, Text(ja=ja, en=en), timed)


def _per_rank(name: str, ja: str, en: str) -> Quantity:
    return Quantity(name, ONE, Shape.PER_RANK, Text(ja=ja, en=en))


def _bytes(name: str, shape: Shape, ja: str, en: str) -> Quantity:
    return Quantity(name, BYTE, shape, Text(ja=ja, en=en))


QUANTITIES = (
    _scalar("bubble_replay", "バブル率(再現): 空き/全体", "bubble, replayed: idle over total"),
    _scalar("bubble_wall", "バブル率(時計)", "bubble by the clock", timed=True),
    _scalar("idle_over_useful", "空き/有効な計算", "idle over useful work"),
    _scalar("replay_length", "1 ステップの単位時間", "units of time of one step"),
    _scalar(
        "idle_start",
        "満ちるまでの空き(最初の逆伝播より前、全ランク計)",
        "idle units while filling: before a rank's first backward, over all ranks",
    ),
    _scalar(
        "idle_middle",
        "途中の空き(最初の逆伝播から最後の順伝播まで、全ランク計)",
        "idle units in between: from a rank's first backward to its last forward, over all ranks",
    ),
    _scalar(
        "idle_end",
        "引いていく間の空き(最後の順伝播より後、全ランク計)",
        "idle units while draining: after a rank's last forward, over all ranks",
    ),
    _scalar("all_busy", "全ランクが働く時間の割合", "share of time in which every rank is busy"),
    _scalar("busy_ranks", "働いているランク数の平均", "ranks busy, on average over time"),
    _per_rank(
        "held",
        "同時に保持するマイクロバッチ数の最大(段ごとに数える)",
        "most micro-batches in flight at once, counted per stage",
    ),
    _per_rank("operations", "演算の数", "operations"),
    _per_rank("messages", "送ったメッセージ数", "messages sent"),
    _bytes(
        "boundary",
        Shape.SCALAR,
        "境界を 1 回渡る量(1 マイクロバッチの活性)",
        "one micro-batch's activation at a boundary",
    ),
    _bytes("wire_sent", Shape.PER_RANK, "1 ステップの送信量", "bytes sent in one step"),
    _bytes("wire_received", Shape.PER_RANK, "1 ステップの受信量", "bytes received in one step"),
    _bytes("wire_matrix", Shape.MATRIX, "送信量の行列", "traffic matrix"),
    _per_rank(
        "gradient_difference",
        "分割しないモデルの勾配との相対差",
        "relative difference from the unsplit model's gradient",
    ),
    _bytes("parameters_held", Shape.PER_RANK, "保持するパラメータ", "parameters held"),
    _bytes("parameters_total", Shape.SCALAR, "モデル全体のパラメータ", "parameters in all"),
)

_PLAIN = {"schedule": ("gpipe", "1f1b")}
_LOOPED = {"schedule": ("interleaved-1f1b", "looped-bfs")}
_ZERO = {"schedule": ("interleaved-zero-bubble", "zbv", "dualpipev")}
_ROUND = {"schedule": (*_LOOPED["schedule"], "interleaved-zero-bubble")}
_V_SHAPED = {"schedule": ("zbv", "dualpipev")}

_ENOUGH = "microbatches >= stages"
_ENOUGH_FOR_ZERO = "microbatches >= 2*stages"
# A wait much shorter than this is no longer long beside a message.
_TIMED = "min(wait - 20, {spare}) >= 0"
# 144 B of framing belong to each message: they are below 2 % of one of 8,000 B.
_LARGE = "batch*hidden >= 1000*microbatches"


def _bubble_laws(
    form: str, useful: str, length: str, only: Mapping[str, Sequence[str]], when: str | None
) -> tuple[Law, ...]:
    spare = when.replace(">=", "-") if when else "0"
    return (
        Law(
            f"bubble_replay == {form}",
            Text(ja="バブル率は公式のとおりである", en="the bubble is the textbook's"),
            when,
            "serial",
            only,
        ),
        Law(
            f"bubble_wall == {form} ± 0.03",
            Text(ja="時計で測っても公式のとおりである", en="and so it is by the clock"),
            _TIMED.format(spare=spare),
            "serial",
            only,
        ),
        Law(
            f"idle_over_useful == {useful}",
            Text(
                ja="もう 1 つの流儀では、空きを有効な計算で割る",
                en="the other convention divides the idle time by the useful time",
            ),
            when,
            "serial",
            only,
        ),
        Law(
            f"replay_length == {length}",
            Text(ja="1 ステップの長さ", en="the length of a step"),
            when,
            "serial",
            only,
        ),
    )


LAWS = (
    *_bubble_laws(
        "(stages-1)/(microbatches+stages-1)",
        "(stages-1)/microbatches",
        "3*(microbatches+stages-1)",
        _PLAIN,
        None,
    ),
    *_bubble_laws(
        "(stages-1)/(2*microbatches+stages-1)",
        "(stages-1)/(2*microbatches)",
        "3*(2*microbatches+stages-1)",
        _LOOPED,
        _ENOUGH,
    ),
    *_bubble_laws(
        "(stages-1)/(6*microbatches+stages-1)",
        "(stages-1)/(6*microbatches)",
        "6*microbatches+stages-1",
        {"schedule": ("interleaved-zero-bubble",)},
        _ENOUGH,
    ),
    *_bubble_laws(
        "(stages-1)/(6*microbatches+stages-1)",
        "(stages-1)/(6*microbatches)",
        "6*microbatches+stages-1",
        _V_SHAPED,
        _ENOUGH_FOR_ZERO,
    ),
    Law(
        "idle_middle == 0",
        Text(
            ja="空きは始めと終わりだけにある",
            en="the idle time lies at the start and at the end",
        ),
        "microbatches >= 2",
        "serial",
        {"schedule": ("gpipe", "1f1b", "looped-bfs")},
    ),
    Law(
        "all_busy == (microbatches-stages+1)/(microbatches+stages-1)",
        Text(
            ja="全ランクが同時に働くのは一部の時間だけである",
            en="all ranks are busy at once for a part of the time only",
        ),
        _ENOUGH,
        "serial",
        {"schedule": ("gpipe",)},
    ),
    Law(
        "busy_ranks == stages*microbatches/(microbatches+stages-1)",
        Text(ja="働いているランク数の平均", en="how many ranks are busy on average"),
        None,
        "serial",
        _PLAIN,
    ),
    Law(
        "held == microbatches",
        Text(
            ja="GPipe は全マイクロバッチの活性を保持する",
            en="GPipe holds the activations of all micro-batches",
        ),
        "microbatches >= 2",
        "serial",
        {"schedule": ("gpipe",)},
    ),
    Law(
        "held == min(microbatches, stages-rank)",
        Text(
            ja="1F1B が保持するのは、後ろに続く段の数までである",
            en="1F1B holds at most as many as there are stages from here on",
        ),
        None,
        "serial",
        {"schedule": ("1f1b",)},
    ),
    Law(
        "held == 2*microbatches",
        Text(
            ja="looped BFS は 2 段の全マイクロバッチを保持する",
            en="looped BFS holds all micro-batches of both stages",
        ),
        "microbatches >= 2",
        "serial",
        {"schedule": ("looped-bfs",)},
    ),
    *(
        Law(
            f"operations == {count}*microbatches",
            Text(
                ja="演算の数はマイクロバッチ数に比例する",
                en="the number of operations grows with the micro-batches",
            ),
            only=only,
        )
        for count, only in (
            (2, _PLAIN),
            (4, _LOOPED),
            (6, {"schedule": ("interleaved-zero-bubble", "zbv")}),
        )
    ),
    *(
        law
        for crossings, only in (
            ("(stages-1)", _PLAIN),
            ("(2*stages-1)", _ROUND),
            ("2*(stages-1)", _V_SHAPED),
        )
        for law in (
            Law(
                f"sum(messages) == 2*{crossings}*microbatches",
                Text(
                    ja="各境界を、活性が下り、その勾配が上る",
                    en="over each boundary go the activations, and back come their gradients",
                ),
                only=only,
            ),
            Law(
                f"sum(wire_sent) == 2*{crossings}*microbatches*boundary ± 2%",
                Text(
                    ja="送信量は境界の活性の大きさで決まる",
                    en="what is sent is set by the size of the boundary's activation",
                ),
                _LARGE,
                only=only,
            ),
        )
    ),
    Law(
        "gradient_difference < 1e-12",
        Text(
            ja="勾配は分割しないモデルと同じである",
            en="the gradients are those of the unsplit model",
        ),
        "microbatches >= 2",
        "stale",
    ),
    Law(
        "sum(parameters_held) == parameters_total",
        Text(
            ja="パラメータは段に分けて持たれる",
            en="the parameters are divided among the stages",
        ),
    ),
)

FAULTS = (
    Fault(
        "serial",
        Text(
            ja="マイクロバッチを 1 つずつ最後まで流し、重ねない",
            en="run one micro-batch to its end before the next one starts",
        ),
    ),
    Fault(
        "stale",
        Text(
            ja="ほかのマイクロバッチが流れている間に、各段がパラメータを更新する",
            en="each stage updates its parameters while other micro-batches are under way",
        ),
    ),
    Fault(
        "sum-not-mean",
        Text(
            ja="マイクロバッチの勾配を平均せず、合計する",
            en="add up the gradients of the micro-batches instead of averaging them",
        ),
    ),
)


def _expected_seconds(parameters: Parameters) -> float:
    units = _schedule(parameters).ideal_length(parameters.stages, parameters.microbatches)
    return 0.5 + units * parameters.wait / 1000


experiment = Experiment(
    "pipeline-bubble",
    Parameters,
    run,
    quantities=QUANTITIES,
    laws=LAWS,
    faults=FAULTS,
    title=Text(ja="パイプライン並列のバブル", en="The bubble of pipeline parallelism"),
    world_size=lambda parameters: int(parameters.stages),
    refuse=refuse,
    conclude=conclude,
    repeats=lambda parameters: 5 if parameters.wait else 1,
    expected_seconds=_expected_seconds,
)
