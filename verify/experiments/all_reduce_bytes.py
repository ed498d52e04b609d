"""All-reduce one tensor and count its bytes.

Every rank draws a tensor of `payload` bytes (float32) of its own. One all-reduce adds the tensors
up and leaves the sum on every rank. Meanwhile the kernel counts what each rank sends to each other
one. Afterwards every rank draws the tensors of all ranks again from their seeds, adds them up in
float64 and compares.

The ring algorithm cuts the tensor into N pieces that travel around a ring twice, once to be added
up and once to be handed out: N − 1 steps each, one piece of 1/N per step. So each rank sends
2(N − 1)/N of the payload, all of it to one neighbour (Patarasuk and Yuan, 2009). Each message
carries a few bytes more, of its header and its acknowledgement, which tiny payloads show.
---
1 つのテンソルを all-reduce し、そのバイト数を数えます。

各ランクは `payload` バイト（float32）のテンソルをそれぞれ作ります。1 回の all-reduce がそれらを足
し合わせ、和を全ランクに置きます。その間、カーネルが各ランクの宛先ごとの送信量を数えます。その後、
各ランクは全ランクのテンソルをシードから作り直し、float64 で足し合わせて比べます。

リングアルゴリズムでは、テンソルを N 個の断片に分け、断片がリングを 2 周します。1 周目で足し合わせ、
2 周目で配ります。どちらも N − 1 ステップで、1 ステップに 1/N の断片を 1 つ送ります。したがって各
ランクの送信量はペイロードの 2(N − 1)/N 倍で、すべて隣の 1 台に送られます
（Patarasuk and Yuan, 2009）。どのメッセージにもヘッダーと受信確認の数バイトが付き、小さなペイロード
ではそれが目立ちます。
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated

from verify.experiment import Between, Experiment, Fault, Law
from verify.quantities import Reading, Readings, Source
from verify.text import Text
from verify.units import Bytes, GiB, MiB
from verify.vocabulary import RESULT_DIFFERENCE, WIRE, Ranks, per_rank, scalar

if TYPE_CHECKING:
    from verify.worlds.rank import Rank

_ELEMENT = 4  # bytes of a float32
_PAYLOAD = Bytes(4 * MiB)


@dataclass(frozen=True)
class Parameters:
    ranks: Ranks = 4
    payload: Annotated[Bytes, Between(_ELEMENT, GiB), Text(ja="ペイロード", en="payload")] = (
        _PAYLOAD
    )


def run(rank: Rank, parameters: Parameters) -> Readings:
    from verify.parallel import collectives

    seeds = [collectives.stream(rank.seed, index) for index in range(rank.size)]
    tensor = collectives.random_tensor(parameters.payload, seeds[rank.index])
    collectives.all_reduce(tensor.clone())  # opens the connections
    with rank.wire.window() as wire:
        if not rank.breaks("skip-all-reduce"):
            with rank.timeline.span("C"):
                collectives.all_reduce(tensor)
    if rank.breaks("one-element") and rank.index == 1:
        collectives.corrupt_one_element(tensor, rank.seed)

    error = collectives.sum_error(tensor, parameters.payload, seeds)
    spread = collectives.elements_that_differ(tensor, rank.exchange)
    return {
        **wire.readings(),
        "neighbour_share": wire.reading(neighbour_share(wire.sent)),
        "peers_sent_to": wire.reading(peers_sent_to(wire.sent)),
        "result_difference": Reading(error, Source.MEASURED),
        "result_spread": Reading(spread, Source.COUNTED),
    }


def neighbour_share(sent: Sequence[int]) -> Fraction:
    """Share of the bytes that went to the peer that got most; 0 where nothing was sent."""
    total = sum(sent)
    return Fraction(max(sent), total) if total else Fraction(0)


def peers_sent_to(sent: Sequence[int]) -> int:
    """How many peers got more than 1 % of the bytes."""
    return sum(100 * count > sum(sent) for count in sent)


def _refuse(parameters: Parameters) -> Text | None:
    if parameters.payload % _ELEMENT == 0:
        return None
    return Text(
        ja=f"payload={parameters.payload} B は float32 の要素（{_ELEMENT} B）で割り切れません。",
        en=f"payload={parameters.payload} B is not a whole number of float32 elements"
        f" ({_ELEMENT} B each).",
    )


def _expected_seconds(parameters: Parameters) -> float:
    """Measured on two cores: 0.2 s and, per rank, a draw of every rank's tensor."""
    return 0.2 + 0.02 * parameters.ranks + parameters.ranks**2 * parameters.payload / (600 * MiB)


# Below about 1 MiB the headers of the messages show: at 16 ranks they are 8,640 B.
_LARGE = "payload >= 1 MiB"

experiment = Experiment(
    "all-reduce-bytes",
    Parameters,
    run,
    quantities=(
        *WIRE,
        per_rank(
            "neighbour_share",
            "最も多く送った相手が占める割合",
            "share of the bytes that went to one neighbour",
        ),
        per_rank(
            "peers_sent_to", "1 % より多く送った相手の数", "number of peers sent more than 1 %"
        ),
        RESULT_DIFFERENCE,
        scalar(
            "result_spread",
            "ランク間で異なる要素の数",
            "number of elements that differ between ranks",
        ),
    ),
    laws=(
        Law(
            "wire_sent == 2*(ranks-1)/ranks*payload ± 1%",
            Text(
                ja="各ランクはペイロードの 2(N−1)/N 倍を送ります。",
                en="Each rank sends 2(N−1)/N times the payload.",
            ),
            when=_LARGE,
            fault="skip-all-reduce",
        ),
        Law(
            "wire_received == wire_sent ± 1% of payload",
            Text(
                ja="各ランクは送った分だけ受け取ります。",
                en="Each rank receives as much as it sends.",
            ),
            when=_LARGE,
        ),
        Law(
            "peers_sent_to == 1",
            Text(
                ja="リングなので、まとまった量を送る相手は隣の 1 台だけです。",
                en="It is a ring: only one neighbour is sent anything of weight.",
            ),
            when=_LARGE,
            fault="skip-all-reduce",
        ),
        Law(
            "neighbour_share > 0.99",
            Text(
                ja="送信量のほぼすべてが隣の 1 台に向かいます。",
                en="Nearly every byte goes to that neighbour.",
            ),
            when=_LARGE,
            fault="skip-all-reduce",
        ),
        Law(
            "result_difference < 1e-6",
            Text(
                ja="どのランクの結果も、全ランクのテンソルの和です（float32 の丸めの範囲）。",
                en="Every rank's result is the sum of all ranks' tensors, to float32's rounding.",
            ),
            when="payload >= 1 KiB",  # the sum of a few numbers may lie close to 0
            fault="skip-all-reduce",
        ),
        Law(
            "result_spread == 0",
            Text(
                ja="結果は全ランクでビット単位まで同じです。",
                en="The result is the same on all ranks, to the bit.",
            ),
            fault="one-element",
        ),
    ),
    faults=(
        Fault(
            "skip-all-reduce",
            Text(ja="all-reduce を行いません。", en="The all-reduce is left out."),
        ),
        Fault(
            "one-element",
            Text(
                ja="ランク 1 の結果の要素を 1 つだけ壊します。",
                en="One element of rank 1's result is corrupted.",
            ),
        ),
    ),
    title=Text(ja="all-reduce のバイト数を数える", en="Count the bytes of an all-reduce"),
    refuse=_refuse,
    expected_seconds=_expected_seconds,
)
