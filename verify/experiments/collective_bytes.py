"""Run one collective operation and count its bytes.

Every rank draws a tensor of `payload` bytes (float32) of its own, cut into one piece per rank, and
all take part in the operation. The kernel counts what each rank sends to each other one. Afterwards
every rank works out from all ranks' tensors what its result should be, and compares.

all-reduce: the sum, on every rank. reduce-then-broadcast: the same in two steps, through rank 0.
broadcast: rank 0's tensor, on every rank. all-gather: every rank's own piece, on every rank.
reduce-scatter: one piece of the sum on each rank; here each piece of a tensor is sent to the rank
that adds it up (an all-to-all and a local sum). gloo-reduce-scatter: the same by gloo, which does
an all-reduce and throws most of it away. all-to-all: piece j of rank i goes to rank j.

On N ranks with a payload S a ring all-reduce has each rank send 2(N − 1)/N·S; all-gather,
reduce-scatter and all-to-all take half of that (Thakur, Rabenseifner and Gropp, 2005). gloo reduces
by such a reduce-scatter and has the pieces sent to the root, and broadcasts along a binomial tree:
its root alone sends (N − 1)/N·S and then ⌈log₂ N⌉·S. Each message carries a few bytes more.
---
集団通信を 1 つ実行し、そのバイト数を数えます。

各ランクは `payload` バイト（float32）のテンソルをそれぞれ作り、ランク数だけの断片に分け、全ランク
で通信します。その間、カーネルが各ランクの宛先ごとの送信量を数えます。その後、各ランクは全ランクの
テンソルから自分が得るべき結果を計算し、比べます。

all-reduce は、和を全ランクに置きます。reduce-then-broadcast は、同じことをランク 0 を経由して 2 段
階で行います。broadcast は、ランク 0 のテンソルを全ランクに配ります。all-gather は、各ランクの断片
を集めて全ランクに置きます。reduce-scatter は、和の断片を 1 つずつ各ランクに置きます。ここでは各断
片を、それを足し合わせるランクに送ります（all-to-all と手元での和）。gloo-reduce-scatter は同じこと
を gloo に任せます。gloo は all-reduce を行い、その大半を捨てます。all-to-all は、ランク i の断
片 j をランク j に送ります。

N 台でペイロード S のとき、リング all-reduce では各ランクが 2(N − 1)/N·S を送りま
す。all-gather、reduce-scatter、all-to-all はその半分です
（Thakur, Rabenseifner and Gropp, 2005）。gloo の reduce はそのような reduce-scatter の後に断片を
ルートに集め、broadcast は二項木に沿って配るため、ルートだけで (N − 1)/N·S と ⌈log₂ N⌉·S を送りま
す。どのメッセージにも数バイトの付加情報が付きます。
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from verify.experiment import Between, Experiment, Fault, Law, OneOf
from verify.quantities import Reading, Readings, Source
from verify.text import Text
from verify.units import Bytes, MiB
from verify.vocabulary import RESULT_DIFFERENCE, WIRE, Ranks, size

if TYPE_CHECKING:
    from verify.worlds.rank import Rank

_SUMS = ("all-reduce", "reduce-then-broadcast")
_HALVES = ("all-gather", "reduce-scatter", "all-to-all")
_PAYLOAD = Bytes(4 * MiB)
OPERATIONS = (*_SUMS, "broadcast", *_HALVES, "gloo-reduce-scatter")


@dataclass(frozen=True)
class Parameters:
    operation: Annotated[str, OneOf(*OPERATIONS), Text(ja="集団通信", en="operation")] = (
        "all-reduce"
    )
    ranks: Ranks = 4
    payload: Annotated[Bytes, Between(4, 64 * MiB), Text(ja="ペイロード", en="payload")] = _PAYLOAD


def run(rank: Rank, parameters: Parameters) -> Readings:
    from verify.parallel import operations
    from verify.parallel.collectives import corrupt_one_element, stream
    from verify.parallel.measures import relative_difference

    operation, payload = parameters.operation, parameters.payload
    seeds = [stream(rank.seed, index) for index in range(rank.size)]
    tensor = operations.draw(payload, rank.size, seeds[rank.index])
    operations.perform(operation, tensor, rank.index)  # opens the connections
    with rank.wire.window() as wire:
        if rank.breaks("skip"):
            result = operations.left_out(operation, tensor, rank.index)
        else:
            result = operations.perform(operation, tensor, rank.index)
    if rank.breaks("one-element") and rank.index == 1:
        corrupt_one_element(result, rank.seed)
    wanted = operations.expected(operation, payload, rank.index, seeds)
    return {
        **wire.readings(),
        "result_difference": Reading(relative_difference(result, wanted), Source.MEASURED),
    }


def conclude(_: Parameters, ranks: Sequence[Mapping[str, Any]]) -> Readings:
    """What the ranks sent together, and what rank 0, the root, sent alone."""
    sent = [readings["wire_sent"] for readings in ranks]
    unmeasured = next((reading for reading in sent if not isinstance(reading, Reading)), None)
    if unmeasured is not None:
        return {"wire_total": unmeasured, "root_sent": unmeasured}
    total = sum(reading.value for reading in sent)
    return {"wire_total": Reading(total, Source.MEASURED), "root_sent": sent[0]}


def _expected_seconds(parameters: Parameters) -> float:
    """Measured on two cores: every rank also draws and adds up all ranks' tensors."""
    return 0.2 + 0.02 * parameters.ranks + parameters.ranks**2 * parameters.payload / (80 * MiB)


def _law(operations: Sequence[str], claim: str, ja: str, en: str, fault: str = "skip") -> Law:
    # Below 1 MiB the headers of the messages show; a sum of few numbers may lie close to 0.
    large = "payload >= 1 KiB" if "result" in claim else "payload >= 1 MiB"
    return Law(claim, Text(ja=ja, en=en), large, fault, {"operation": tuple(operations)})


experiment = Experiment(
    "collective-bytes",
    Parameters,
    run,
    quantities=(
        *WIRE,
        size("wire_total", "全ランクの送信量の合計", "bytes sent by all ranks together"),
        size("root_sent", "ランク 0 の送信量", "bytes sent by rank 0"),
        RESULT_DIFFERENCE,
    ),
    laws=(
        _law(
            ("all-reduce", "gloo-reduce-scatter"),
            "wire_sent == 2*(ranks-1)/ranks*payload ± 1%",
            "各ランクはペイロードの 2(N−1)/N 倍を送ります。",
            "Each rank sends 2(N−1)/N times the payload.",
        ),
        _law(
            _HALVES,
            "wire_sent == (ranks-1)/ranks*payload ± 1%",
            "各ランクはペイロードの (N−1)/N 倍を送ります。all-reduce の半分です。",
            "Each rank sends (N−1)/N times the payload, half as much as for an all-reduce.",
        ),
        _law(
            ("all-to-all", "reduce-scatter"),
            "wire_matrix[0,1] == payload/ranks ± 1%",
            "各ランクは、他のどのランクにも断片を 1 つずつ送ります。",
            "Each rank sends one piece to each other rank.",
        ),
        _law(
            ("reduce-then-broadcast",),
            "root_sent == ((ranks-1)/ranks + ceil(log2(ranks)))*payload ± 1%",
            "ルートは (N−1)/N 倍に加え、二項木の段数だけペイロードを送ります。",
            "The root sends (N−1)/N times the payload, and the whole of it once per level of a"
            " binomial tree.",
        ),
        _law(
            ("reduce-then-broadcast",),
            "wire_total == (ranks-1)*(2+1/ranks)*payload ± 1%",
            "全ランクの合計は、リング all-reduce の 1+1/(2N) 倍です。",
            "All ranks together send 1+1/(2N) times as much as a ring all-reduce.",
        ),
        _law(
            ("broadcast",),
            "root_sent == ceil(log2(ranks))*payload ± 1%",
            "ルートは、二項木の段数だけペイロードを送ります。",
            "The root sends the payload once per level of a binomial tree.",
        ),
        _law(
            ("broadcast",),
            "wire_total == (ranks-1)*payload ± 1%",
            "合計では、ルート以外の各ランクがペイロードを 1 回受け取る分だけです。",
            "In all, every rank but the root is sent the payload once.",
        ),
        _law(
            ("all-reduce",),
            "wire_total == 2*(ranks-1)*payload ± 1%",
            "全ランクの合計は、ペイロードの 2(N−1) 倍です。",
            "All ranks together send 2(N−1) times the payload.",
        ),
        _law(
            OPERATIONS,
            "result_difference < 1e-6",
            "どのランクも、定義どおりの結果を得ます（float32 の丸めの範囲）。",
            "Every rank has the result by definition, to float32's rounding.",
            fault="one-element",
        ),
    ),
    faults=(
        Fault(
            "skip",
            Text(
                ja="通信を行いません。各ランクは自分のテンソルを結果とします。",
                en="The operation is left out: each rank takes its own tensor for the result.",
            ),
        ),
        Fault(
            "one-element",
            Text(
                ja="ランク 1 の結果の要素を 1 つだけ壊します。",
                en="One element of rank 1's result is corrupted.",
            ),
        ),
    ),
    title=Text(ja="集団通信のバイト数", en="The bytes of collective operations"),
    conclude=conclude,
    expected_seconds=_expected_seconds,
)
