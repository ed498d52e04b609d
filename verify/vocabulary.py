"""Parameters and quantities that several experiments have: one wording and one unit for each."""

from __future__ import annotations

from typing import Annotated

from verify.experiment import Between, OneOf
from verify.pipelines import SCHEDULES
from verify.quantities import Quantity, Shape
from verify.text import Text
from verify.units import BYTE, ONE, SECOND

Ranks = Annotated[int, Between(2, 16), Text(ja="ランク数", en="number of ranks")]
FewRanks = Annotated[int, Between(2, 8), Text(ja="ランク数", en="number of ranks")]
Batch = Annotated[int, Between(1, 256), Text(ja="バッチサイズ", en="batch size")]
SamplesPerRank = Annotated[
    int, Between(1, 256), Text(ja="1 ランクあたりのサンプル数", en="number of samples per rank")
]
SequenceLength = Annotated[int, Between(1, 4096), Text(ja="系列長", en="sequence length")]
HiddenSize = Annotated[int, Between(8, 2048), Text(ja="隠れ次元", en="hidden size")]
HiddenWidth = Annotated[int, Between(8, 2048), Text(ja="隠れ層の幅", en="hidden size")]
Stages = Annotated[int, Between(2, 8), Text(ja="段数", en="stages")]
Microbatches = Annotated[int, Between(1, 64), Text(ja="マイクロバッチ数", en="microbatches")]
Schedule = Annotated[str, OneOf(*SCHEDULES), Text(ja="スケジュール", en="schedule")]


def scalar(name: str, ja: str, en: str, *, timed: bool = False, sampled: bool = False) -> Quantity:
    """A plain number for the whole run."""
    return Quantity(name, ONE, Shape.SCALAR, Text(ja=ja, en=en), timed, sampled)


def per_rank(name: str, ja: str, en: str) -> Quantity:
    """A plain number of each rank."""
    return Quantity(name, ONE, Shape.PER_RANK, Text(ja=ja, en=en))


def size(name: str, ja: str, en: str) -> Quantity:
    """Bytes, of the whole run."""
    return Quantity(name, BYTE, Shape.SCALAR, Text(ja=ja, en=en))


def size_per_rank(name: str, ja: str, en: str) -> Quantity:
    """Bytes of each rank."""
    return Quantity(name, BYTE, Shape.PER_RANK, Text(ja=ja, en=en))


def seconds_per_rank(name: str, ja: str, en: str) -> Quantity:
    """Seconds by the clock, of each rank."""
    return Quantity(name, SECOND, Shape.PER_RANK, Text(ja=ja, en=en), timed=True)


WIRE = (
    size_per_rank("wire_sent", "送信量", "bytes sent"),
    size_per_rank("wire_received", "受信量", "bytes received"),
    Quantity(
        "wire_matrix",
        BYTE,
        Shape.MATRIX,
        Text(ja="送信元から宛先への送信量", en="bytes from sender to receiver"),
    ),
)
WIRE_SENT_FORWARD = size_per_rank(
    "wire_sent_forward", "順伝播での送信量", "bytes sent in the forward pass"
)
WIRE_SENT_BACKWARD = size_per_rank(
    "wire_sent_backward", "逆伝播での送信量", "bytes sent in the backward pass"
)
BOUNDARY = size("boundary", "境界の活性化の量", "bytes of activations at a boundary")
GRADIENT = size("gradient", "勾配の大きさ", "size of the gradient")
GRADIENT_DIFFERENCE = per_rank(
    "gradient_difference",
    "1 プロセスで計算した勾配との相対差",
    "relative difference from one process's gradient",
)
RESULT_DIFFERENCE = per_rank("result_difference", "結果の相対誤差", "relative error of the result")
PARAMETERS_HELD = size_per_rank(
    "parameters_held", "保持するパラメータの量", "bytes of parameters held"
)
PARAMETERS_TOTAL = size(
    "parameters_total",
    "モデル全体のパラメータの量",
    "bytes of the whole model's parameters",
)
SAMPLES_DISTINCT = scalar(
    "samples_distinct",
    "全ランク合わせて異なるサンプルの数",
    "number of distinct samples on all ranks",
)
SAMPLES_PER_RANK = per_rank("samples_per_rank", "ランクのサンプル数", "number of a rank's samples")
PLAIN_DIFFERENCE = per_rank(
    "plain_difference",
    "そのまま平均した勾配の相対誤差",
    "relative error of the plain average of gradients",
)
WEIGHTED_DIFFERENCE = per_rank(
    "weighted_difference",
    "重みを付けて平均した勾配の相対誤差",
    "relative error of the weighted average of gradients",
)
