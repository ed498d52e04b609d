"""Which samples DistributedSampler deals to each rank where they can't be dealt out evenly.

The samples have the numbers 0, 1, 2, … and are dealt out in turn, without a shuffle. All ranks have
to take equally many steps, or some would wait for ever in an all-reduce. So where the number of
samples isn't a multiple of the number of ranks, the sampler starts again from the beginning until
everyone has as many: a few samples are seen twice. With `drop_last` it leaves out the last ones
instead, and a few aren't seen at all.

The ranks tell each other what they were dealt, and every rank counts for itself.
---
サンプルが等分できないとき、DistributedSampler が各ランクに何を割り当てるかを調べます。

サンプルには 0、1、2、… と番号を付け、シャッフルせずに順に配ります。どのランクも同じ回数のステップ
を実行しなければ、all-reduce で永久に待つランクが出ます。そのため、サンプル数がランク数の倍数でない
場合、サンプラーは先頭に戻り、全ランクが同じ数になるまで配ります。つまり、いくつかのサンプルは 2 回
使われます。`drop_last` では、代わりに末尾のサンプルを捨てるので、いくつかは一度も使われません。

ランクは割り当てられた番号を互いに伝え、それぞれが数えます。
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from verify.experiment import Between, Experiment, Fault, Law
from verify.quantities import Reading, Readings, Source
from verify.text import Text
from verify.vocabulary import SAMPLES_DISTINCT, SAMPLES_PER_RANK, Ranks, per_rank, scalar

if TYPE_CHECKING:
    from verify.worlds.rank import Rank


@dataclass(frozen=True)
class Parameters:
    samples: Annotated[int, Between(1, 10_000), Text(ja="サンプル数", en="number of samples")] = 10
    ranks: Ranks = 4
    drop_last: Annotated[
        bool, Text(ja="末尾のサンプルを捨てる", en="the last samples are left out")
    ] = False


def refuse(parameters: Parameters) -> Text | None:
    """With fewer samples than ranks, some ranks would have none of their own."""
    if parameters.samples >= parameters.ranks:
        return None
    return Text(
        ja=f"samples={parameters.samples} が ranks={parameters.ranks} より少ないです。"
        "samples を増やしてください。",
        en=f"samples={parameters.samples} is fewer than ranks={parameters.ranks};"
        " choose more samples.",
    )


def run(rank: Rank, parameters: Parameters) -> Readings:
    from verify.parallel.sampling import dealt

    own = dealt(parameters.samples, drop_last=parameters.drop_last, fault=rank.fault)
    everyone = [index for indices in rank.exchange(own) for index in indices]
    distinct = len(set(everyone))
    counted = {
        "samples_per_rank": len(own),
        "first_sample": own[0],
        "last_sample": own[-1],
        "samples_seen_total": len(everyone),
        "samples_distinct": distinct,
        "duplicates": len(everyone) - distinct,
        "samples_missing": parameters.samples - distinct,
    }
    return {name: Reading(value, Source.COUNTED) for name, value in counted.items()}


def _law(claim: str, ja: str, en: str, fault: str, *drop_last: bool) -> Law:
    only = {"drop_last": drop_last or (True, False)}
    return Law(claim, Text(ja=ja, en=en), fault=fault, only=only)


experiment = Experiment(
    "sampler-padding",
    Parameters,
    run,
    quantities=(
        SAMPLES_PER_RANK,
        per_rank("first_sample", "ランクの最初のサンプルの番号", "number of a rank's first sample"),
        per_rank("last_sample", "ランクの最後のサンプルの番号", "number of a rank's last sample"),
        scalar("samples_seen_total", "全ランクで使うサンプルの延べ数", "samples seen in all"),
        SAMPLES_DISTINCT,
        scalar("duplicates", "重複して使うサンプルの数", "samples seen more than once"),
        scalar("samples_missing", "使われないサンプルの数", "samples that nobody sees"),
    ),
    laws=(
        _law(
            "samples_per_rank == ceil(samples/ranks)",
            "どのランクも、切り上げた同じ数のサンプルを使います。",
            "Every rank sees equally many samples, rounded up.",
            "no-padding",
            False,
        ),
        _law(
            "duplicates == ranks*ceil(samples/ranks) - samples",
            "足りない分は先頭のサンプルをもう一度使って埋めます。",
            "What is missing is filled up with the first samples once more.",
            "no-sampler",
            False,
        ),
        _law(
            "samples_distinct == samples",
            "どのサンプルも、いずれかのランクが使います。",
            "Every sample is seen by some rank.",
            "same-rank",
            False,
        ),
        _law(
            "samples_per_rank == floor(samples/ranks)",
            "どのランクも、切り捨てた同じ数のサンプルを使います。",
            "Every rank sees equally many samples, rounded down.",
            "no-padding",
            True,
        ),
        _law(
            "samples_missing == samples - ranks*floor(samples/ranks)",
            "余りのサンプルは、どのランクも使いません。",
            "Nobody sees the samples that are left over.",
            "no-padding",
            True,
        ),
        _law(
            "duplicates == 0",
            "重複して使うサンプルはありません。",
            "No sample is seen twice.",
            "no-sampler",
            True,
        ),
        _law(
            "first_sample == rank",
            "サンプルは先頭から順に 1 つずつ配ります。",
            "Samples are dealt out one by one from the start.",
            "same-rank",
        ),
    ),
    faults=(
        Fault(
            "no-padding",
            Text(
                ja="埋めも捨てもせず、あるだけのサンプルを順に配ります。",
                en="The samples there are get dealt out, none added and none left out.",
            ),
        ),
        Fault(
            "no-sampler",
            Text(
                ja="サンプラーを使わず、どのランクも全サンプルを使います。",
                en="No sampler is used: every rank sees all the samples.",
            ),
        ),
        Fault(
            "same-rank",
            Text(
                ja="どのランクもランク 0 の分を受け取ります。",
                en="Every rank is dealt what is meant for rank 0.",
            ),
        ),
    ),
    title=Text(ja="サンプラーの水増し", en="The padding of a sampler"),
    refuse=refuse,
    expected_seconds=lambda parameters: 0.1 + 0.02 * parameters.ranks,
)
