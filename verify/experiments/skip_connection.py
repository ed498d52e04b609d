"""A skip connection over the boundaries of a split model adds traffic of its own.

Three stages lie on three ranks. The last one takes the sum of the second's output and, over a skip
connection, the first's. One batch goes forward and its gradients back.

route=direct: rank 0 sends its activations to rank 2 as well, and rank 2 sends the gradient of that
sum to rank 0. route=relayed: rank 1 passes them on, so that only neighbours talk, and two tensors
cross its boundary to rank 2. Either way there are three boundaries' worth of activations in the
forward pass, and as many bytes in the backward, instead of two. route=none: the model has no skip.

Each rank compares its stage's gradients with those of the unsplit model.
---
分割したモデルの境界を越えるスキップ接続には、それ自体の通信が必要です。

3 つのステージを 3 台に置きます。最後のステージは、2 番目の出力と、スキップ接続で届く最初のステージ
の出力との和を入力とします。1 つのバッチを順伝播し、勾配を逆伝播します。

route=direct では、ランク 0 が活性化をランク 2 にも送り、ランク 2 はその勾配をランク 0 に返しま
す。route=relayed では、ランク 1 が中継します。隣どうししか通信しませんが、ランク 1 とランク 2 の境
界を 2 つのテンソルが渡ります。どちらの場合も、順伝播で送る活性化は、境界 2 つ分ではなく 3 つ分にな
り、逆伝播でも同じだけ送ります。route=none は、スキップ接続のないモデルです。

各ランクは、自分のステージの勾配を、分割しないモデルの勾配と比べます。
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from verify.experiment import Experiment, Fault, Law, OneOf
from verify.quantities import Reading, Readings, Source
from verify.text import Text
from verify.units import MiB, format_size
from verify.vocabulary import (
    BOUNDARY,
    GRADIENT_DIFFERENCE,
    WIRE,
    WIRE_SENT_BACKWARD,
    WIRE_SENT_FORWARD,
    Batch,
    HiddenSize,
    SequenceLength,
)

if TYPE_CHECKING:
    from verify.worlds.rank import Rank

_STAGES = 3
_ELEMENT = 4  # bytes of a float32
_MOST_ACTIVATIONS = 64 * MiB


@dataclass(frozen=True)
class Parameters:
    route: Annotated[
        str,
        OneOf("direct", "relayed", "none"),
        Text(ja="スキップ接続の経路", en="route of the skip connection"),
    ] = "direct"
    batch: Batch = 8
    sequence: SequenceLength = 128
    hidden: HiddenSize = 256


def _activations(p: Parameters) -> int:
    return p.batch * p.sequence * p.hidden * _ELEMENT


def _refuse(parameters: Parameters) -> Text | None:
    if (size := _activations(parameters)) <= _MOST_ACTIVATIONS:
        return None
    return Text(
        ja="batch × sequence × hidden が大きすぎます: 境界の活性化は {size}、上限は {most} です。",
        en="batch × sequence × hidden is too large: the boundary would hold {size},"
        " at most {most} are possible.",
    ).fill(size=format_size(size), most=format_size(_MOST_ACTIVATIONS))


def run(rank: Rank, parameters: Parameters) -> Readings:
    from verify.parallel import boundary, skip
    from verify.parallel.measures import bytes_of, gradients_of, joined, relative_difference

    p = parameters
    inputs, targets = boundary.sample((p.batch, p.sequence, p.hidden), rank.seed)
    stages = boundary.make_stages(_STAGES, 1, p.hidden, rank.seed)
    route = "none" if rank.breaks("no-skip") else p.route
    stage = skip.SkipStage(rank.index, stages[rank.index], route)
    stage.forward(inputs[:1, :1])  # opens the connections
    stage.backward(targets[:1, :1])
    stage.layers.zero_grad()

    corrupt = rank.seed if rank.breaks("one-element") else None
    with rank.wire.window() as forward:
        stage.forward(inputs, corrupt)
    with rank.wire.window() as backward:
        stage.backward(targets, skip=not rank.breaks("skip-gradient"))
    gradient = joined(gradients_of(stage.layers)).clone()

    for layers in stages:
        layers.zero_grad()
    skip.unsplit(stages, inputs, targets, skip=p.route != "none")
    expected = joined(gradients_of(stages[rank.index]))
    return {
        "boundary": Reading(bytes_of([stage.output]), Source.COUNTED),
        **(forward + backward).readings(),
        "wire_sent_forward": forward.reading(sum(forward.sent)),
        "wire_sent_backward": backward.reading(sum(backward.sent)),
        "gradient_difference": Reading(relative_difference(gradient, expected), Source.MEASURED),
    }


def _expected_seconds(p: Parameters) -> float:
    """Measured on two cores; every rank also runs the whole model."""
    operations = 6 * p.batch * p.sequence * p.hidden**2 * _STAGES * (_STAGES + 1)
    return 0.4 + operations / 30e9 + 9 * _activations(p) / (80 * MiB)


# Below this the headers of the messages (96 B each, and 48 B back) are more than 1 %.
_LARGE = "batch*sequence*hidden >= 8192"


def _law(claim: str, ja: str, en: str, *routes: str, fault: str | None = None) -> Law:
    return Law(claim, Text(ja=ja, en=en), _LARGE, fault, {"route": routes})


experiment = Experiment(
    "skip-connection",
    Parameters,
    run,
    quantities=(BOUNDARY, *WIRE, WIRE_SENT_FORWARD, WIRE_SENT_BACKWARD, GRADIENT_DIFFERENCE),
    laws=(
        _law(
            "wire_matrix[0,2] == boundary ± 1%",
            "隣でないランクにも、境界の活性化と同じ量を送ります。",
            "As much as a boundary's activations goes to a rank that is no neighbour.",
            "direct",
            fault="no-skip",
        ),
        _law(
            "wire_matrix[2,0] == boundary ± 1%",
            "その勾配も、隣でないランクから戻ります。",
            "Its gradient comes back from there.",
            "direct",
            fault="skip-gradient",
        ),
        _law(
            "wire_matrix[1,2] == 2*boundary ± 1%",
            "中継すると、2 つ目の境界を 2 倍の量が渡ります。",
            "Relayed, twice as much crosses the second boundary.",
            "relayed",
            fault="no-skip",
        ),
        _law(
            "wire_matrix[0,2] == 0",
            "隣でないランクには何も送りません。",
            "Nothing goes to a rank that is no neighbour.",
            "relayed",
            "none",
        ),
        _law(
            "sum(wire_sent_forward) == 3*boundary ± 1%",
            "順伝播の送信量の合計は、境界 3 つ分です。",
            "In the forward pass three boundaries' worth is sent in all.",
            "direct",
            "relayed",
            fault="no-skip",
        ),
        _law(
            "sum(wire_sent) == 6*boundary ± 1%",
            "逆伝播でも、同じだけ送ります。",
            "As much again is sent in the backward pass.",
            "direct",
            "relayed",
            fault="skip-gradient",
        ),
        _law(
            "sum(wire_sent) == 4*boundary ± 1%",
            "スキップ接続がなければ、2 つの境界を往復する分だけです。",
            "Without a skip it is two boundaries' worth each way.",
            "none",
        ),
        Law(
            "gradient_difference < 1e-6",
            Text(
                ja="各ステージの勾配は、分割しないモデルと同じです。",
                en="Every stage's gradient is the unsplit model's.",
            ),
            fault="one-element",
        ),
    ),
    faults=(
        Fault(
            "no-skip",
            Text(
                ja="スキップ接続の活性化を送らず、使いもしません。",
                en="The skip's activations are neither sent nor used.",
            ),
        ),
        Fault(
            "skip-gradient",
            Text(
                ja="スキップ接続の勾配を送り返しません。",
                en="The skip's gradient is not sent back.",
            ),
        ),
        Fault(
            "one-element",
            Text(
                ja="スキップ接続で届いた活性化の要素を 1 つだけ壊します。",
                en="One element of what came over the skip is corrupted.",
            ),
        ),
    ),
    title=Text(ja="境界を越えるスキップ接続", en="A skip connection across boundaries"),
    world_size=lambda _: _STAGES,
    refuse=_refuse,
    expected_seconds=_expected_seconds,
)
