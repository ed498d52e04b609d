"""Divide a transformer layer among ranks, heads and MLP, and count what that sends.

The layer normalises, attends, adds; then normalises, runs an MLP, adds. Each rank takes 1/N of the
heads: query, key and value are one matrix divided by columns, head by head, and they share one
input; the output projection is divided by rows. So attention needs one all-reduce forward and one
backward, as the MLP does: two and two in all, each as large as the layer's activations, batch ×
sequence × hidden (Megatron-LM, Shoeybi et al. 2019, section 3). There is no dropout.

Beside it, each rank runs torch's own unsplit layer in float64 and compares the output, its part of
the parameters' gradients and the gradient of the input. Gradients are compared as one long vector:
that of the key's bias is zero by theory, since a bias shifts all scores of a query alike.

---

Transformer の 1 層を、アテンションのヘッドと MLP の両方について複数のランクに分け、通信量を数え
ます。

この層は、正規化・アテンション・加算、続いて正規化・MLP・加算の順に計算します。各ランクはヘッド
の 1/N を受け持ちます。クエリ・キー・バリューは 1 つの行列として、ヘッド単位に列で分割し、同じ入
力を共有します。出力の射影は行で分割します。そのためアテンションも MLP と同じく、順伝播と逆伝播
で all-reduce が 1 回ずつ必要です。合わせて 2 回ずつで、1 回の量はその層の活性化（バッチサイ
ズ × 系列長 × 隠れ次元）と同じです（Megatron-LM、Shoeybi ほか 2019、第 3 節）。ドロップアウト
はありません。

各ランクは、分割しない層（torch に付属のもの）も float64 で計算し、出力、自分の持つパラメータの
勾配、入力の勾配を比べます。勾配は 1 本の長いベクトルとして比べます。キーのバイアスはあるクエリ
の全スコアを同じだけずらすので、その勾配は理論上 0 だからです。
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from verify.experiment import Between, Experiment, Fault
from verify.experiments import tensor_parallel_mlp as mlp
from verify.quantities import Readings
from verify.text import Text
from verify.units import format_size

if TYPE_CHECKING:
    from verify.worlds.rank import Rank


@dataclass(frozen=True)
class Parameters(mlp.Parameters):
    heads: Annotated[int, Between(1, 64), Text(ja="ヘッド数", en="number of heads")] = 24


def run(rank: Rank, parameters: Parameters) -> Readings:
    from verify.parallel import tensor_parallel as parallel

    p = parameters
    shard = parallel.Shard(rank.index, rank.size, fault=rank.fault, seed=rank.seed)
    width = p.expansion * p.hidden
    whole = parallel.make_layer(p.hidden, p.heads, width, rank.seed).to(rank.device)
    split = parallel.SplitLayer(p.hidden, p.heads, width, shard)
    shape = p.batch, p.sequence, p.hidden
    readings, _, _ = mlp.measure(rank, split, whole, parallel.LAYER_PLAN, shard, shape)
    return readings


def refuse(parameters: Parameters) -> Text | None:
    """What can't be divided, or wouldn't fit."""
    p = parameters
    if p.heads % p.ranks:
        return Text(
            ja=f"heads={p.heads} は ranks={p.ranks} で割り切れません。"
            f"{p.ranks} の倍数にしてください。",
            en=f"heads={p.heads} can't be divided among ranks={p.ranks};"
            f" choose a multiple of {p.ranks}.",
        )
    if p.hidden % p.heads:
        return Text(
            ja=f"hidden={p.hidden} は heads={p.heads} で割り切れません。"
            f"{p.heads} の倍数にしてください。",
            en=f"hidden={p.hidden} can't be divided into heads={p.heads};"
            f" choose a multiple of {p.heads}.",
        )
    scores = p.batch * p.heads * p.sequence**2 * mlp.ELEMENT
    if scores > mlp.MOST_ACTIVATIONS:
        return Text(
            ja="batch × heads × sequence² が大きすぎます: "
            "アテンションのスコアは {size}、上限は {most} です。",
            en="batch × heads × sequence² is too large: the attention scores would take {size},"
            " at most {most} are possible.",
        ).fill(size=format_size(scores), most=format_size(mlp.MOST_ACTIVATIONS))
    return mlp.refuse(p)


def _expected_seconds(p: Parameters) -> float:
    """Measured on two cores; every rank also runs the whole layer."""
    per_token = (12 * p.expansion + 24) * p.hidden**2 + 12 * p.sequence * p.hidden
    return 0.3 + 0.05 * p.ranks + p.batch * p.sequence * per_token * (p.ranks + 1) / 10e9


experiment = Experiment(
    "tensor-parallel-layer",
    Parameters,
    run,
    quantities=mlp.QUANTITIES,
    laws=mlp.laws(2),
    faults=(
        mlp.SKIP_ALL_REDUCE,
        mlp.ROW_BIAS_BEFORE_REDUCE,
        mlp.ONE_ELEMENT,
        Fault(
            "separate-inputs",
            Text(
                ja="クエリ・キー・バリューが入力を共有せず、勾配を別々に合計します。",
                en="Query, key and value don't share one input: three gradients are summed apart.",
            ),
        ),
    ),
    title=Text(
        ja="テンソル並列の Transformer 層", en="A transformer layer under tensor parallelism"
    ),
    refuse=refuse,
    expected_seconds=_expected_seconds,
    on_device=True,
)
