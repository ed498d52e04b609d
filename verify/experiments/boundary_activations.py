"""Split a model's layers over ranks and count what crosses the boundaries.

Rank 0 holds the first layers, rank 1 the next, and so on: model parallelism at its plainest. One
batch goes through: each rank receives the activations of the rank before it, computes its layers
and sends its own activations on. In training the gradients of those activations then come back the
same way. The kernel counts the bytes of the forward and of the backward pass, each in a window of
its own.

What crosses a boundary has batch × sequence × hidden elements, whatever the layers hold: twice the
batch sends twice as much, twice the layers per rank nothing more. Beside it, each rank also runs
the unsplit model on the same batch and compares its stage's output and gradients.
---
モデルの層を複数のランクに分け、境界を渡る量を数えます。

最初の層をランク 0 が、続く層をランク 1 が、という順に持ちます。最も単純なモデル並列です。1 つのバッ
チを順に通します。各ランクは、前のランクの活性化を受け取り、自分の層を計算し、その活性化を次のランク
に送ります。訓練では、続いてその活性化の勾配が同じ経路を戻ります。カーネルが、順伝播と逆伝播のバイト
数を別々の区間で数えます。

境界を渡る要素数は、層の大きさによらず、バッチサイズ × 系列長 × 隠れ次元です。バッチサイズを 2 倍に
すると送信量も 2 倍になり、1 ランクあたりの層数を 2 倍にしても変わりません。各ランクは、分割しないモ
デルにも同じバッチを通し、自分のステージの出力と勾配を比べます。
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from verify.experiment import Between, Experiment, Fault, Law
from verify.quantities import Reading, Readings, Source, Unmeasured
from verify.text import Text
from verify.units import MiB, format_size
from verify.vocabulary import (
    BOUNDARY,
    PARAMETERS_HELD,
    PARAMETERS_TOTAL,
    WIRE,
    WIRE_SENT_BACKWARD,
    WIRE_SENT_FORWARD,
    Batch,
    HiddenSize,
    SequenceLength,
    per_rank,
    size,
)

if TYPE_CHECKING:
    from verify.worlds.rank import Rank

_ELEMENT = 4  # bytes of a float32
_MOST_ACTIVATIONS = 64 * MiB
_MOST_PARAMETERS = 128 * MiB
_INFERENCE = Text(
    ja="推論では勾配を計算しません（training=false）。",
    en="an inference pass computes no gradient (training=false).",
)


@dataclass(frozen=True)
class Parameters:
    stages: Annotated[int, Between(2, 8), Text(ja="段数", en="stages")] = 2
    batch: Batch = 8
    sequence: SequenceLength = 128
    hidden: HiddenSize = 256
    depth: Annotated[
        int, Between(1, 8), Text(ja="1 ステージの層数", en="number of layers per stage")
    ] = 1
    training: Annotated[
        bool, Text(ja="学習（逆伝播も行う）", en="training (with a backward pass)")
    ] = True


def run(rank: Rank, parameters: Parameters) -> Readings:
    from verify.parallel import boundary
    from verify.parallel.measures import (
        bytes_of,
        gradients_of,
        joined,
        relative_difference,
        size_of,
    )

    p = parameters
    inputs, targets = boundary.sample((p.batch, p.sequence, p.hidden), rank.seed)
    whole = boundary.make_stages(p.stages, p.depth, p.hidden, rank.seed)
    stage = boundary.Stage(rank.index, whole, half=rank.breaks("half-precision"))
    stage.connect()
    corrupt = rank.seed if rank.breaks("one-element") and rank.index == 1 else None
    with rank.wire.window() as forward:
        stage.forward(inputs, training=p.training, corrupt=corrupt)
    with rank.wire.window() as backward:
        if p.training:
            stage.backward(targets, messages=not rank.breaks("skip-backward"))

    outputs = boundary.pass_unsplit(whole, inputs, targets, training=p.training)
    output_error = relative_difference(stage.output.detach(), outputs[rank.index])
    gradient_difference: Reading | Unmeasured = Unmeasured(_INFERENCE)
    if p.training:
        ours, theirs = (joined(gradients_of(m)) for m in (stage.layers, whole[rank.index]))
        gradient_difference = Reading(relative_difference(ours, theirs), Source.MEASURED)
    returned = max(rank.exchange(stage.input_gradient_size()))
    return {
        "boundary": Reading(bytes_of([stage.message]), Source.COUNTED),
        "boundary_gradient": Reading(returned, Source.COUNTED),
        "element": Reading(stage.output.element_size(), Source.COUNTED),
        **(forward + backward).readings(),
        "wire_sent_forward": forward.reading(sum(forward.sent)),
        "wire_sent_backward": backward.reading(sum(backward.sent)),
        "output_difference": Reading(output_error, Source.MEASURED),
        "gradient_difference": gradient_difference,
        "parameters_held": Reading(size_of(stage.layers), Source.COUNTED),
        "parameters_total": Reading(sum(map(size_of, whole)), Source.COUNTED),
    }


def _activations(p: Parameters) -> int:
    return p.batch * p.sequence * p.hidden * _ELEMENT


def _all_parameters(p: Parameters) -> int:
    return p.stages * p.depth * (p.hidden + 1) * p.hidden * _ELEMENT


def _refuse(parameters: Parameters) -> Text | None:
    if (size := _activations(parameters)) > _MOST_ACTIVATIONS:
        return Text(
            ja="batch × sequence × hidden が大きすぎます: "
            "境界の活性化は {size}、上限は {most} です。",
            en="batch × sequence × hidden is too large: the boundary would hold {size},"
            " at most {most} are possible.",
        ).fill(size=format_size(size), most=format_size(_MOST_ACTIVATIONS))
    if (size := _all_parameters(parameters)) > _MOST_PARAMETERS:
        return Text(
            ja="stages × depth × hidden² が大きすぎます: パラメータは {size}、上限は {most} です。",
            en="stages × depth × hidden² is too large: the parameters would take {size},"
            " at most {most} are possible.",
        ).fill(size=format_size(size), most=format_size(_MOST_PARAMETERS))
    return None


def _expected_seconds(p: Parameters) -> float:
    """Measured on two cores; every rank also runs the whole model."""
    operations = 6 * p.batch * p.sequence * p.hidden**2 * p.depth * p.stages * (p.stages + 1)
    return 0.3 + 0.03 * p.stages + operations / 30e9 + p.stages**2 * _activations(p) / (80 * MiB)


# Below this the headers of the messages (96 B each, and 48 B back) are more than 1 %.
_LARGE = "batch*sequence*hidden >= 8192"

experiment = Experiment(
    "boundary-activations",
    Parameters,
    run,
    quantities=(
        BOUNDARY,
        size("boundary_gradient", "境界の活性化の勾配の量", "bytes of the gradient at a boundary"),
        size("element", "要素 1 つの大きさ", "size of one element"),
        *WIRE,
        WIRE_SENT_FORWARD,
        WIRE_SENT_BACKWARD,
        per_rank(
            "output_difference", "ステージの出力の相対誤差", "relative error of the stage's output"
        ),
        per_rank(
            "gradient_difference",
            "ステージの勾配の相対誤差",
            "relative error of the stage's gradient",
        ),
        PARAMETERS_HELD,
        PARAMETERS_TOTAL,
    ),
    laws=(
        Law(
            "boundary == batch*sequence*hidden*element",
            Text(
                ja="境界を渡る活性化の量は、バッチサイズ × 系列長 × 隠れ次元 × 要素の大きさです。",
                en="The activations at a boundary are batch × sequence × hidden elements.",
            ),
            fault="half-precision",
        ),
        Law(
            "wire_sent_forward[0] == boundary ± 1%",
            Text(
                ja="順伝播では、先頭のランクが境界の活性化を送ります。",
                en="In the forward pass the first rank sends the activations of its boundary.",
            ),
            when=_LARGE,
        ),
        Law(
            "wire_sent_backward[stages-1] == boundary_gradient ± 1% of boundary",
            Text(
                ja="逆伝播では、最後のランクが境界の活性化の勾配を送り返します（推論では何も送りません）。",
                en="In the backward pass the last rank sends the gradient of its boundary back"
                " (in inference, nothing).",
            ),
            when=_LARGE,
            fault="skip-backward",
        ),
        Law(
            "wire_sent[0] == boundary ± 1%",
            Text(
                ja="先頭のランクが送るのは、全体を通して境界の活性化 1 回分だけです。",
                en="Over the whole pass the first rank sends its boundary's activations once.",
            ),
            when=_LARGE,
        ),
        Law(
            "wire_sent[1] == boundary + boundary_gradient ± 1%",
            Text(
                ja="中間のランクは、次へ活性化を、前へ勾配を送ります。",
                en="A rank in the middle sends activations on and gradients back.",
            ),
            when=f"(stages-2)*{_LARGE}",  # at two stages there is no middle
            fault="skip-backward",
        ),
        Law(
            "parameters_held < parameters_total",
            Text(
                ja="どのランクもモデルの一部だけを保持します。",
                en="Every rank holds a part of the model only.",
            ),
        ),
        Law(
            "sum(parameters_held) == parameters_total",
            Text(
                ja="全ランクの分を合わせるとモデル全体になります。",
                en="The ranks' parts add up to the whole model.",
            ),
        ),
        Law(
            "output_difference < 1e-6",
            Text(
                ja="各ステージの出力は、分割しないモデルと同じです。",
                en="Every stage puts out what the unsplit model does.",
            ),
            fault="one-element",
        ),
        Law(
            "gradient_difference < 1e-6",
            Text(
                ja="各ステージの勾配は、分割しないモデルと同じです。",
                en="Every stage's gradient is the unsplit model's.",
            ),
            fault="skip-backward",
        ),
    ),
    faults=(
        Fault(
            "half-precision",
            Text(
                ja="活性化を float16 に丸めて送ります。",
                en="Activations are rounded to float16 before they are sent.",
            ),
        ),
        Fault(
            "skip-backward",
            Text(
                ja="活性化の勾配を送り返しません。",
                en="The gradients of the activations are not sent back.",
            ),
        ),
        Fault(
            "one-element",
            Text(
                ja="ランク 1 が受け取った活性化の要素を 1 つだけ壊します。",
                en="One element of the activations that rank 1 received is corrupted.",
            ),
        ),
    ),
    title=Text(ja="分割境界を渡る活性化", en="Activations across the boundaries of a split model"),
    world_size=lambda parameters: int(parameters.stages),
    refuse=_refuse,
    expected_seconds=_expected_seconds,
)
