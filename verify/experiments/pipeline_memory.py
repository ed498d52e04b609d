"""What a rank of a pipeline holds of activations, at every moment of a step.

A stage keeps what its forward pass of a microbatch saved until the backward pass of that microbatch
has used it. How many microbatches are under way at once is decided by the schedule: GPipe runs all
forwards first, 1F1B starts a backward as soon as it can. So more microbatches shrink the bubble,
but under GPipe every rank then holds more.

Each rank runs a small model's stages in the order that a schedule of torch.distributed.pipelining
decides. The memory probe counts the bytes that autograd saves in a forward pass, when they are
saved and when they are let go; a tensor that two operations save counts once, and parameters don't
count. Beside it, the order of operations that really ran says how many microbatches a rank has in
flight, counted once for each of its stages: the schedules with two stages on a rank hold half
stages, so to speak, each half as large if the model is the same.

A rank can hold less than that count times the bytes of one. Where the backward is split, its input
half already lets go of a part. In a V-shaped schedule the last rank runs two stages in a row, which
share the activation between them. Buffers that torch sets aside for messages don't count, unless
autograd saves them.
---
パイプラインのランクが、1 ステップの各時点で保持する活性化の量です。

段は、あるマイクロバッチの順伝播で保存したものを、その逆伝播が使い終わるまで持ち続けます。同時に
流れているマイクロバッチの数はスケジュールで決まります。GPipe は順伝播を先にすべて済ませ、1F1B は
できるだけ早く逆伝播を始めます。そのため、マイクロバッチを増やすと気泡は縮みますが、GPipe では
その分だけ各ランクの保持量が増えます。

各ランクは小さなモデルの段を、torch.distributed.pipelining のスケジュールが決める順に走らせます。
メモリの計測器は、autograd が順伝播で保存したバイト数を、保存の時点と解放の時点で数えます。2 つの
演算が保存したテンソルは 1 回だけ数え、パラメータは数えません。並行して、実際に走った演算の順序
から、ランクが抱えるマイクロバッチの数を段ごとに数えます。1 ランクに 2 段を置くスケジュールでは
半段が単位になり、同じモデルなら 1 つの大きさも半分です。

保持量は、この数 × 1 つ分より少ないことがあります。逆伝播を 2 つに分けるスケジュールでは、入力側の
半分が終わった時点で一部が解放されます。V 字型のスケジュールでは、最後のランクが続きの 2 段を持ち、
その境界の活性化を共有します。torch が通信のために用意するバッファは、autograd が保存したものでない
かぎり数えません。
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from verify.experiment import Between, Experiment, Fault, Law
from verify.pipelines import SCHEDULES
from verify.probes.replay import held, operations_of
from verify.quantities import Reading, Readings, Source
from verify.text import Text
from verify.units import MiB, format_size
from verify.vocabulary import (
    PARAMETERS_HELD,
    Microbatches,
    Schedule,
    Stages,
    per_rank,
    size,
    size_per_rank,
)

if TYPE_CHECKING:
    from verify.worlds.rank import Rank


@dataclass(frozen=True)
class Parameters:
    stages: Stages = 4
    microbatches: Microbatches = 8
    schedule: Schedule = "gpipe"
    microbatch: Annotated[
        int,
        Between(1, 1024),
        Text(ja="1 マイクロバッチのサンプル数", en="samples in a microbatch"),
    ] = 32
    hidden: Annotated[int, Between(1, 512), Text(ja="隠れ層の幅", en="hidden size")] = 64


_ELEMENT = 8  # bytes of a float64
_MOST_ACTIVATIONS = 16 * MiB  # of a batch; every rank also runs the whole model


def _activations(p: Parameters) -> int:
    return p.microbatches * p.microbatch * p.hidden * _ELEMENT


def refuse(parameters: Parameters) -> Text | None:
    """What would fill the memory, and what torch would refuse on one rank only."""
    if (size := _activations(parameters)) > _MOST_ACTIVATIONS:
        return Text(
            ja="microbatches × microbatch × hidden が大きすぎます: "
            "1 バッチの活性化は {size}、上限は {most} です。",
            en="microbatches × microbatch × hidden is too large: a batch's activations would take "
            "{size}, at most {most} are possible.",
        ).fill(size=format_size(size), most=format_size(_MOST_ACTIVATIONS))
    return SCHEDULES[parameters.schedule].refuse(parameters.stages, parameters.microbatches)


def run(rank: Rank, parameters: Parameters) -> Readings:
    from verify.parallel.pipeline import Pace, Pipeline, Problem, relative_difference
    from verify.parallel.pipeline_memory import Watch

    plan = SCHEDULES[parameters.schedule]
    batch = parameters.microbatch * parameters.microbatches
    problem = Problem.draw(
        plan.virtual * rank.size, batch, parameters.hidden, rank.seed, rank.device
    )
    reference = problem.reference()
    pipeline = Pipeline.build(
        plan,
        problem,
        parameters.microbatches,
        rank=rank.index,
        ranks=rank.size,
        serial=rank.breaks("serial"),
    )
    pipeline.warm_up(problem)
    saved = rank.memory.saved(pipeline.parameters())
    watch = Watch(pipeline, saved, keep=rank.breaks("keep-everything"))
    pipeline.observe(rank.timeline, Pace())
    pipeline.step(problem)

    operations = operations_of(rank.timeline.spans())
    own = [g for index in plan.stages_of(rank.index, rank.size) for g in reference[index]]
    gradients = [p.grad for p in pipeline.parameters() if p.grad is not None]
    holdings = rank.memory.held(pipeline.parameters())
    return {
        **saved.readings("activation"),
        "activation_of_one": Reading(watch.of_one, Source.COUNTED),
        "held_most": Reading(held(operations), Source.COUNTED),
        "operations": Reading(len(operations), Source.COUNTED),
        "parameters_held": Reading(holdings.parameters, Source.COUNTED),
        "gradient_difference": Reading(relative_difference(gradients, own), Source.MEASURED),
        "_curve_activation": Reading(tuple(saved.series), Source.COUNTED),
    }


QUANTITIES = (
    size_per_rank(
        "activation_peak", "保存した活性化の最大量", "the most bytes of activations saved at once"
    ),
    size_per_rank(
        "activation_end",
        "ステップの終わりに残る活性化の量",
        "bytes of activations left after the step",
    ),
    size(
        "activation_of_one",
        "1 段が 1 マイクロバッチについて保存する活性化の量",
        "bytes of activations that one stage saves for one microbatch",
    ),
    per_rank(
        "held_most", "同時に抱えるマイクロバッチの最大数", "the most microbatches in flight at once"
    ),
    per_rank("operations", "演算の数", "the number of operations"),
    PARAMETERS_HELD,
    per_rank(
        "gradient_difference",
        "分割しないモデルの勾配との相対差",
        "relative difference from the unsplit model's gradient",
    ),
)

_V_SHAPED = ("zbv", "dualpipev")
_ALL = tuple(SCHEDULES)
_SHARING = ("interleaved-zero-bubble", *_V_SHAPED)  # whose ranks hold less than count × one
_IN_ROUNDS_OF_STAGES = "microbatches == stages*floor(microbatches/stages)"


def _law(
    schedules: Sequence[str],
    claim: str,
    ja: str,
    en: str,
    *,
    when: str | None = None,
    fault: str | None = None,
) -> Law:
    return Law(claim, Text(ja=ja, en=en), when, fault, {"schedule": tuple(schedules)})


def _held(schedules: Sequence[str], count: str, ja: str, en: str, when: str | None = None) -> Law:
    """How many a rank holds at most, which running one after the other refutes."""
    return _law(schedules, f"held_most == {count}", ja, en, when=when, fault="serial")


_HOLDS_ALL = (
    "全マイクロバッチの活性化を保持する",
    "it holds the activations of all microbatches",
)
_TWO_PER_STAGE = ("保持するのは 2 × 段数までである", "it holds at most 2 × stages")

LAWS = (
    _held(("gpipe",), "microbatches", *_HOLDS_ALL, when="microbatches >= 2"),
    _held(("looped-bfs",), "2*microbatches", *_HOLDS_ALL, when="microbatches >= 2"),
    _held(
        ("1f1b",),
        "min(microbatches, stages-rank)",
        "保持するのは、自分以降の段の数までである",
        "it holds at most as many as there are stages from here on",
    ),
    # Narayanan et al. 2021: a rank warms up with (v−1)p + 2(p−rank−1) forwards, here v = 2.
    _held(
        ("interleaved-1f1b",),
        "min(2*microbatches, 3*stages-2*rank-1)",
        "保持するのは、助走の順伝播の数より 1 つ多いだけである",
        "it holds one more than the forwards of its warm-up",
        when=_IN_ROUNDS_OF_STAGES,
    ),
    _held(("interleaved-zero-bubble",), "2*stages", *_TWO_PER_STAGE, when=_IN_ROUNDS_OF_STAGES),
    _held(("zbv",), "2*stages", *_TWO_PER_STAGE, when="microbatches >= 2*stages"),
    _held(
        ("dualpipev",),
        "2*stages+1",
        "保持するのは 2 × 段数 + 1 までである",
        "it holds at most 2 × stages + 1",
        when="microbatches >= 2*stages",
    ),
    _law(
        ("1f1b", "interleaved-1f1b"),
        "activation_peak == held_most*activation_of_one",
        "保持する量は、抱える数 × 1 つ分である",
        "the bytes held are so many times those of one",
        fault="keep-everything",
    ),
    _law(
        ("gpipe", "looped-bfs"),  # all is held in any case, so that no leak can show in the peak
        "activation_peak == held_most*activation_of_one",
        "保持する量は、抱える数 × 1 つ分である",
        "the bytes held are so many times those of one",
    ),
    _law(
        _SHARING,
        "activation_peak <= held_most*activation_of_one",
        "抱える数 × 1 つ分より少ないことがある。入力側の半分だけ逆伝播を終えた段は一部を手放し、"
        "同じランクで続く 2 段は境界の活性化を共有する",
        "it may be less than so many times those of one: a stage lets go of a part after the input "
        "half of its backward, and two stages in a row on one rank share the activation between",
        when="microbatches >= 2*stages",
        fault="keep-everything",
    ),
    _law(
        _SHARING,
        "activation_peak[0] == held_most[0]*activation_of_one",
        "最初のランクは、抱える数 × 1 つ分を保持する",
        "the first rank holds so many times those of one",
        when="microbatches >= 2*stages",
        fault="keep-everything",
    ),
    _law(
        ("interleaved-zero-bubble",),
        "activation_peak == (2*stages-rank/2)*activation_of_one",
        "入力側の逆伝播で半分を手放すため、後のランクほど少ない",
        "the input half of a backward lets go of half, so later ranks hold less",
        when=_IN_ROUNDS_OF_STAGES,
    ),
    _law(
        _ALL,
        "activation_end == 0",
        "ステップが終わると活性化は残らない",
        "after the step no activation is left",
        fault="keep-everything",
    ),
    _law(
        _ALL,
        "gradient_difference < 1e-12",
        "勾配は分割しないモデルと同じである",
        "the gradients are those of the unsplit model",
    ),
)

FAULTS = (
    Fault(
        "keep-everything",
        Text(
            ja="逆伝播が終わっても、保存した活性化を手放さない",
            en="keep what was saved even after the backward pass has used it",
        ),
    ),
    Fault(
        "serial",
        Text(
            ja="マイクロバッチを 1 つずつ最後まで流し、重ねない",
            en="run each microbatch to its end before the next one starts",
        ),
    ),
)


def _expected_seconds(p: Parameters) -> float:
    """Measured on two cores; every rank also runs the whole model."""
    layers = p.stages * SCHEDULES[p.schedule].virtual
    samples = p.microbatches * p.microbatch * (p.stages + 1)
    return 0.4 + 0.004 * p.stages * p.microbatches + 6 * p.hidden**2 * layers * samples / 30e9


experiment = Experiment(
    "pipeline-memory",
    Parameters,
    run,
    quantities=QUANTITIES,
    laws=LAWS,
    faults=FAULTS,
    title=Text(ja="パイプライン並列の活性化メモリ", en="The activation memory of a pipeline"),
    world_size=lambda parameters: int(parameters.stages),
    refuse=refuse,
    expected_seconds=_expected_seconds,
    on_device=True,
)
