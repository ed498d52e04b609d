"""What a published model would have one of thousands of ranks send, counted on this machine.

A real run of this size needs a data centre. But which collectives a rank calls, and with tensors of
which size, follows from the program alone: torch's fake process group takes every call and sends
nothing, and meta tensors have a shape and no contents. So one process makes the step of one rank,
the one in the middle of the world, and counts what it hands to torch.distributed along each axis:
all-reduces of activations between the ranks that divide a layer's matrices, activations and their
gradients to the stages beside it, and one all-reduce of its gradients with the other replicas.

All of this is counted, not measured: what the calls really send depends on the backend, and only
real ranks show it (hybrid-mesh is the same step at a size that fits). Numbers take two bytes each
(bfloat16). Word embeddings are left out: they are held by the first and the last stage alone.
---
公開されているモデルで、数千ランクのうちの 1 ランクが何を送るかを、この 1 台の上で数えます。

この規模を本当に実行するにはデータセンターが必要です。しかし、ランクがどの集団通信を、どの大きさの
テンソルで呼ぶかは、プログラムだけで決まります。torch の fake プロセスグループは呼び出しを受け取る
だけで何も送らず、meta テンソルは形だけで中身を持ちません。そこで 1 プロセスが world の中央にある
1 ランクの 1 ステップを行い、torch.distributed に渡した量を軸ごとに数えます。層の行列を分け合う
ランクどうしの活性化の all-reduce、隣のステージに送る活性化とその勾配、複製どうしの勾配の
all-reduce です。

これらはすべて計数であり、測定ではありません。呼び出しが実際に送る量はバックエンドによって決まり、
実際のランクでしか測れません(手元で動く大きさの同じステップが hybrid-mesh です)。数値 1 つは
2 バイト(bfloat16)です。単語の埋め込みは、最初と最後のステージだけが持つので含めません。
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from verify.experiment import Between, Experiment, Fault, Law, OneOf
from verify.published import MODELS
from verify.quantities import Readings
from verify.text import Text
from verify.vocabulary import scalar, size, size_per_rank

if TYPE_CHECKING:
    from verify.worlds.rank import Rank


@dataclass(frozen=True)
class Parameters:
    model: Annotated[str, OneOf(*MODELS), Text(ja="モデル", en="model")] = "gpt3-175b"
    ranks: Annotated[int, Between(1, 65_536), Text(ja="ランク数", en="number of ranks")] = 1024
    tensor: Annotated[
        int, Between(1, 64), Text(ja="テンソル並列の幅", en="ranks that divide a layer's matrices")
    ] = 8
    stages: Annotated[
        int, Between(1, 256), Text(ja="パイプラインの段数", en="stages of the pipeline")
    ] = 8
    microbatches: Annotated[
        int, Between(1, 64), Text(ja="マイクロバッチ数", en="number of micro-batches")
    ] = 8
    sequences: Annotated[
        int,
        Between(1, 64),
        Text(ja="1 マイクロバッチの系列数", en="number of sequences in a micro-batch"),
    ] = 1
    world: Annotated[
        str, OneOf("fake"), Text(ja="world の種類", en="kind of world: one that only counts")
    ] = "fake"


def run(rank: Rank, parameters: Parameters) -> Readings:
    import torch

    from verify.parallel import model_traffic

    p, model = parameters, MODELS[parameters.model]
    sizes = {"data": p.ranks // (p.tensor * p.stages), "tensor": p.tensor, "stages": p.stages}
    mesh = model_traffic.Mesh(sizes)
    stage = model_traffic.Stage(model, mesh, rank.fault)
    shape = (p.sequences, model.sequence, model.hidden)
    microbatch = torch.empty(shape, device=rank.device, dtype=torch.bfloat16)
    with rank.wire.window() as wire, rank.calls.window() as calls:
        stage.step(microbatch, p.microbatches)
    held = sum(parameter.nbytes for parameter in stage.parameters())
    counted = {
        "replicas": sizes["data"],
        "layers": model.layers,
        "layers_held": len(stage.layers),
        "sequence": model.sequence,
        "hidden": model.hidden,
        "element": microbatch.element_size(),
        "activation": microbatch.nbytes,
        "neighbours": len(mesh.stages_beside()),
        "parameters_held": held,
        "calls_tensor": calls.count("all_reduce", mesh.ranks("tensor")),
        "calls_data": calls.count("all_reduce", mesh.ranks("data")),
        "calls_stages": calls.count("send"),
        "reduced_tensor": calls.bytes("all_reduce", mesh.ranks("tensor")),
        "reduced_data": calls.bytes("all_reduce", mesh.ranks("data")),
        "sent_stages": calls.bytes("send"),
    }
    if p.tensor == 1:
        counted |= {"calls_tensor": 0, "reduced_tensor": 0}
    if sizes["data"] == 1:
        counted |= {"calls_data": 0, "reduced_data": 0}
    readings: Readings = {name: calls.reading(value) for name, value in counted.items()}
    return readings | {"wire_sent": wire.reading(0)}


def _refuse(p: Parameters) -> Text | None:
    model = MODELS[p.model]
    for name, value, divisor, by in (
        ("ranks", p.ranks, p.tensor * p.stages, f"tensor × stages = {p.tensor * p.stages}"),
        (f"{p.model}: heads", model.heads, p.tensor, f"tensor={p.tensor}"),
        (f"{p.model}: key_heads", model.key_heads, p.tensor, f"tensor={p.tensor}"),
    ):
        if value % divisor:
            return Text(
                ja=f"{name}={value} は {by} で割り切れません。",
                en=f"{name}={value} can't be divided by {by}.",
            )
    if p.stages > model.layers:
        return Text(
            ja=f"stages={p.stages} は {p.model} の層数 {model.layers} を超えています。",
            en=f"stages={p.stages} is more than the {model.layers} layers of {p.model}.",
        )
    return None


def _expected_seconds(p: Parameters) -> float:
    """Measured on two cores: a layer of meta tensors, forward and backward, takes 30 ms."""
    return 2 + p.ranks / 30_000 + 0.03 * p.microbatches * -(-MODELS[p.model].layers // p.stages)


experiment = Experiment(
    "model-traffic",
    Parameters,
    run,
    quantities=(
        scalar("replicas", "複製の数", "number of replicas"),
        scalar("layers", "層の数", "number of layers"),
        scalar("layers_held", "ランクの持つ層の数", "number of layers that a rank holds"),
        scalar("sequence", "系列の長さ", "length of a sequence"),
        scalar("hidden", "隠れ層の幅", "hidden size"),
        scalar("neighbours", "隣り合うステージの数", "number of adjacent stages"),
        size("element", "要素 1 つの大きさ", "size of one element"),
        size("activation", "1 マイクロバッチの活性化の量", "bytes of a micro-batch's activations"),
        size("parameters_held", "ランクの持つパラメータの量", "bytes of parameters a rank holds"),
        scalar(
            "calls_tensor",
            "テンソル並列の all-reduce の回数",
            "number of tensor-parallel all-reduces",
        ),
        scalar(
            "calls_data", "データ並列の all-reduce の回数", "number of data-parallel all-reduces"
        ),
        scalar("calls_stages", "ステージ間の送信回数", "number of sends between stages"),
        size(
            "reduced_tensor",
            "テンソル並列の軸で all-reduce に渡した量",
            "bytes handed to all-reduces along the tensor axis",
        ),
        size(
            "reduced_data",
            "データ並列の軸で all-reduce に渡した量",
            "bytes handed to all-reduces along the data axis",
        ),
        size("sent_stages", "隣のステージへの送信に渡した量", "bytes handed to sends to stages"),
        size_per_rank("wire_sent", "送信量", "bytes sent"),
    ),
    laws=(
        Law(
            "reduced_tensor == 4*microbatches*layers_held*activation",
            Text(
                ja="1 層、1 マイクロバッチにつき、順伝播で 2 回、逆伝播で 2 回 all-reduce します。",
                en="Each layer all-reduces twice forward and twice backward for each micro-batch.",
            ),
            when="tensor >= 2",
            fault="skip-tensor-all-reduce",
        ),
        Law(
            "sent_stages == neighbours*microbatches*activation",
            Text(
                ja="隣り合うステージごとに、各マイクロバッチの活性化かその勾配を送ります。",
                en="Each adjacent stage is sent, for each micro-batch, the activations or their"
                " gradients.",
            ),
            when="stages >= 2",
            fault="skip-sends",
        ),
        Law(
            "reduced_data == parameters_held",
            Text(
                ja="1 ステップに 1 回、持っているパラメータの勾配を複製の間で all-reduce します。",
                en="Once a step the gradients of what is held are all-reduced among the replicas.",
            ),
            when="ranks/(tensor*stages) >= 2",
            fault="skip-data-all-reduce",
        ),
        Law(
            "activation == sequences*sequence*hidden*element",
            Text(
                ja="活性化の量は 系列数 × 系列長 × 隠れ層の幅 です。",
                en="Activations are as many as sequences × length × hidden size.",
            ),
        ),
    ),
    faults=(
        Fault(
            "skip-tensor-all-reduce",
            Text(
                ja="層の内部の部分結果を all-reduce しません。",
                en="The partial results within a layer are not all-reduced.",
            ),
        ),
        Fault(
            "skip-data-all-reduce",
            Text(
                ja="複製の間で勾配を all-reduce しません。",
                en="The gradients are not all-reduced among the replicas.",
            ),
        ),
        Fault(
            "skip-sends",
            Text(ja="隣のステージに何も送りません。", en="Nothing is sent to adjacent stages."),
        ),
    ),
    title=Text(
        ja="公開モデルの通信量を数える(計数のみ)",
        en="Count the traffic of published models (counted only)",
    ),
    refuse=_refuse,
    expected_seconds=_expected_seconds,
)
