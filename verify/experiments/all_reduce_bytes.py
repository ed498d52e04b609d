"""All ranks add up one tensor each and keep the sum (all-reduce); the kernel counts the bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from verify.experiment import Between, Experiment
from verify.quantities import Quantity, Readings, Shape
from verify.text import Text
from verify.units import BYTE, Bytes, GiB, MiB

if TYPE_CHECKING:
    from verify.worlds.rank import Rank


@dataclass(frozen=True)
class Parameters:
    ranks: Annotated[int, Between(2, 16), Text(ja="ランク数", en="ranks")] = 4
    payload: Annotated[Bytes, Between(4, GiB), Text(ja="ペイロード", en="payload")] = Bytes(4 * MiB)


def run(rank: Rank, parameters: Parameters) -> Readings:
    from verify.parallel import collectives

    tensor = collectives.random_tensor(parameters.payload, rank.seed + rank.index)
    collectives.all_reduce(tensor.clone())
    with rank.wire.window() as wire:
        collectives.all_reduce(tensor)
    return wire.readings()


experiment = Experiment(
    "all-reduce-bytes",
    Parameters,
    run,
    quantities=(
        Quantity("wire_sent", BYTE, Shape.PER_RANK, Text(ja="送信量", en="bytes sent")),
        Quantity("wire_received", BYTE, Shape.PER_RANK, Text(ja="受信量", en="bytes received")),
        Quantity("wire_matrix", BYTE, Shape.MATRIX, Text(ja="送信量の行列", en="traffic matrix")),
    ),
)
