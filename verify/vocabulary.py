"""Quantities that several experiments yield: one name, one unit and one wording for each."""

from __future__ import annotations

from verify.quantities import Quantity, Shape
from verify.text import Text
from verify.units import BYTE, ONE, SECOND


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
