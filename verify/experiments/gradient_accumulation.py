"""Accumulate gradients over several micro-steps, and communicate once, or every time.

Every rank holds the whole model (a small perceptron in float64) under DistributedDataParallel. In
each of `accumulation` micro-steps it takes `batch` samples of its own and adds the gradient of
their mean loss, divided by `accumulation`, to what it has. Only the sum needs averaging over ranks,
so DDP's no_sync() turns the all-reduce off in all micro-steps but the last.

no_sync says what runs inside that context: both passes (as it is meant to be used), the forward
alone, the backward alone, or neither (never). DDP decides in the forward pass whether the coming
backward will communicate: around the backward alone the context does nothing.

The kernel counts the bytes of every micro-step in a window of its own. The accumulated gradient is
compared with one process's on the samples of all ranks and micro-steps in one big batch.
---
複数回のマイクロステップで勾配を累積し、通信を 1 回で済ませるか、毎回行うかを比べます。

どのランクも、モデル全体（float64 の小さなパーセプトロン）を DistributedDataParallel で持ちま
す。`accumulation` 回のマイクロステップのそれぞれで、自分の `batch` 個のサンプルの平均損失
を `accumulation` で割り、その勾配を足し込みます。ランク間で平均する必要があるのは合計だけなの
で、DDP の no_sync() を使い、最後以外のマイクロステップでは all-reduce を止めます。

no_sync は、このコンテキストの中で何を実行するかを表します。both は順伝播と逆伝播の両方（本来の使い
方）、forward は順伝播だけ、backward は逆伝播だけ、never はどちらも入れません。DDP は、次の逆伝播で
通信するかどうかを順伝播のときに決めます。そのため、逆伝播だけを囲んでも効果はありません。

カーネルが、マイクロステップごとに送信量を数えます。累積した勾配は、全ランクの全マイクロステップの
サンプルを 1 つの大きなバッチとして 1 プロセスで計算したものと比べます。
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Annotated

from verify.experiment import Between, Experiment, Fault, Law, OneOf
from verify.probes.wire import Window
from verify.quantities import Reading, Readings, Source
from verify.text import Text
from verify.vocabulary import GRADIENT, GRADIENT_DIFFERENCE, WIRE, HiddenWidth, Ranks, size_per_rank

if TYPE_CHECKING:
    from verify.worlds.rank import Rank


@dataclass(frozen=True)
class Parameters:
    ranks: Ranks = 4
    accumulation: Annotated[
        int, Between(2, 8), Text(ja="累積するマイクロステップ数", en="number of micro-steps")
    ] = 2
    no_sync: Annotated[
        str,
        OneOf("both", "forward", "backward", "never"),
        Text(ja="no_sync で囲む範囲", en="what runs inside no_sync"),
    ] = "both"
    batch: Annotated[
        int,
        Between(1, 256),
        Text(
            ja="1 ランク 1 マイクロステップのサンプル数",
            en="number of samples per rank and micro-step",
        ),
    ] = 8
    hidden: HiddenWidth = 512


def run(rank: Rank, parameters: Parameters) -> Readings:
    from verify.parallel.accumulation import Accumulation
    from verify.parallel.collectives import corrupt_one_element
    from verify.parallel.measures import bytes_of, gradients_of, joined, relative_difference

    p = parameters
    training = Accumulation(
        rank.index, rank.size, steps=p.accumulation, batch=p.batch, hidden=p.hidden, seed=rank.seed
    )
    training.model.zero_grad()
    windows: list[Window] = []
    for step in range(p.accumulation):
        quiet = step < p.accumulation - 1 and not rank.breaks("sync-always")
        quiet = quiet or rank.breaks("skip-all-reduce")
        with rank.wire.window() as window:
            training.micro_step(
                step,
                forward=quiet and p.no_sync in ("both", "forward"),
                backward=quiet and p.no_sync in ("both", "backward"),
            )
        windows.append(window)
    gradients = gradients_of(training.model)
    if rank.breaks("one-element") and rank.index == 1:
        corrupt_one_element(gradients[0], rank.seed)
    size, accumulated = bytes_of(gradients), joined(gradients).clone()
    training.alone()
    difference = relative_difference(accumulated, joined(gradients_of(training.model)))
    first, last = windows[0], windows[-1]
    return {
        **reduce(add, windows).readings(),
        "wire_sent_micro": first.reading(sum(first.sent)),
        "wire_sent_last": last.reading(sum(last.sent)),
        "gradient": Reading(size, Source.COUNTED),
        "gradient_difference": Reading(difference, Source.MEASURED),
    }


def _expected_seconds(parameters: Parameters) -> float:
    """Measured on two cores; each rank also computes the big batch alone."""
    p = parameters
    samples = p.ranks * (p.ranks + 1) * p.batch * p.accumulation
    handling = 0.3 + 0.03 * p.ranks + 0.08 * p.accumulation
    return handling + 12 * p.hidden**2 * samples / 5e9


_OFF, _ON = ("both", "forward"), ("backward", "never")


def _law(claim: str, ja: str, en: str, no_sync: tuple[str, ...], fault: str | None = None) -> Law:
    # In a small gradient the headers of the messages show.
    return Law(claim, Text(ja=ja, en=en), "hidden >= 512", fault, {"no_sync": no_sync})


experiment = Experiment(
    "gradient-accumulation",
    Parameters,
    run,
    quantities=(
        GRADIENT,
        *WIRE,
        size_per_rank(
            "wire_sent_micro",
            "最初のマイクロステップでの送信量",
            "bytes sent in the first micro-step",
        ),
        size_per_rank(
            "wire_sent_last",
            "最後のマイクロステップでの送信量",
            "bytes sent in the last micro-step",
        ),
        GRADIENT_DIFFERENCE,
    ),
    laws=(
        _law(
            "wire_sent_micro == 0",
            "順伝播を no_sync で囲めば、最後以外のマイクロステップでは何も送りません。",
            "With the forward inside no_sync, only the last micro-step sends anything.",
            _OFF,
            "sync-always",
        ),
        _law(
            "wire_sent_micro == 2*(ranks-1)/ranks*gradient ± 1%",
            "逆伝播だけを囲んでも、囲まないときと同じだけ送ります。",
            "Around the backward alone it sends as much as without no_sync.",
            _ON,
        ),
        _law(
            "wire_sent_last == 2*(ranks-1)/ranks*gradient ± 1%",
            "最後のマイクロステップでは、累積した勾配を 1 回 all-reduce します。",
            "The last micro-step all-reduces the accumulated gradient once.",
            _OFF,
            "skip-all-reduce",
        ),
        _law(
            "wire_sent == 2*(ranks-1)/ranks*gradient ± 1%",
            "全体の送信量は、累積の回数によりません。",
            "What is sent in all doesn't depend on the number of micro-steps.",
            _OFF,
            "sync-always",
        ),
        _law(
            "wire_sent == accumulation*2*(ranks-1)/ranks*gradient ± 1%",
            "全体の送信量は、累積の回数に比例します。",
            "What is sent in all grows with the number of micro-steps.",
            _ON,
        ),
        Law(
            "gradient_difference < 1e-12",
            Text(
                ja="累積した勾配は、1 つの大きなバッチの勾配に一致します。",
                en="The accumulated gradient is that of one big batch.",
            ),
            fault="one-element",
        ),
    ),
    faults=(
        Fault(
            "sync-always",
            Text(
                ja="no_sync を使わず、毎回通信します。",
                en="no_sync isn't used: every micro-step communicates.",
            ),
        ),
        Fault(
            "skip-all-reduce",
            Text(
                ja="最後のマイクロステップも no_sync の中で実行します。",
                en="The last micro-step, too, runs inside no_sync.",
            ),
        ),
        Fault(
            "one-element",
            Text(
                ja="ランク 1 の累積した勾配の要素を 1 つだけ壊します。",
                en="One element of rank 1's accumulated gradient is corrupted.",
            ),
        ),
    ),
    title=Text(ja="勾配累積と no_sync", en="Gradient accumulation and no_sync"),
    expected_seconds=_expected_seconds,
)
