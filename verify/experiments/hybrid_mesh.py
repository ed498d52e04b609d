"""Divide one training step over a mesh of data, pipeline and tensor parallelism at once.

`data` × `stages` × `tensor` ranks train a small model. Its layers are shared out among the stages,
the matrices of each layer among the ranks of a tensor group, and the samples among the replicas;
each replica sends its samples through the stages in micro-batches. With a degree of 1 an axis
drops out, so that data=8, say, is plain data parallelism (the combination follows Narayanan et al.
2021, section 3).

Every group of ranks has network connections of its own. Before the step each group sends a few
bytes, which tells whose they are; so what the kernel counts can be split by axis: gradients among
replicas, activations and their gradients between stages, partial results within a layer. Beside it,
each rank computes the gradient of the undivided model on the whole batch, in float64, and compares
the part that it holds.

---

データ並列・パイプライン並列・テンソル並列を組み合わせたメッシュで、学習を 1 ステップ行います。

data × stages × tensor 個のランクで小さなモデルを学習します。層はステージに分け、各層の行列は
テンソル並列のグループの中で分け、サンプルは複製に分けます。どの複製も、自分のサンプルをマイクロ
バッチに分けてステージに流します。並列度を 1 にした軸は使われません。たとえば data=8 だけなら、
ただのデータ並列です（組み合わせ方は Narayanan ほか 2021、第 3 節に従います）。

通信用の接続は、ランクのグループごとに別々です。ステップの前に各グループが少量のデータを送るの
で、どの接続がどの軸のものかが分かります。そのため、カーネルの数えた通信量を軸ごとに分けられま
す。複製の間を流れるのは勾配、ステージの間を流れるのは活性化とその勾配、層の内部を流れるのは部分
結果です。各ランクは、分割しないモデルの勾配もバッチ全体について float64 で計算し、自分の持つ部
分と比べます。
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated

from verify.experiment import Between, Experiment, Fault, Law
from verify.quantities import Reading, Readings, Source
from verify.text import Text
from verify.units import MiB, format_size
from verify.vocabulary import WIRE, per_rank, scalar, size, size_per_rank

if TYPE_CHECKING:
    from verify.worlds.rank import Rank

_ELEMENT = 8  # bytes of a float64
_MOST_RANKS = 8
_MOST_ACTIVATIONS = 64 * MiB
_MOST_PARAMETERS = 64 * MiB


@dataclass(frozen=True)
class Parameters:
    data: Annotated[
        int, Between(1, _MOST_RANKS), Text(ja="データ並列度", en="data-parallel degree")
    ] = 2
    tensor: Annotated[
        int, Between(1, _MOST_RANKS), Text(ja="テンソル並列度", en="tensor-parallel degree")
    ] = 2
    stages: Annotated[int, Between(1, _MOST_RANKS), Text(ja="段数", en="stages")] = 2
    microbatches: Annotated[
        int, Between(1, 16), Text(ja="マイクロバッチ数", en="number of micro-batches")
    ] = 2
    layers: Annotated[int, Between(1, 32), Text(ja="層数", en="number of layers")] = 4
    batch: Annotated[int, Between(1, 512), Text(ja="バッチサイズ", en="batch size")] = 32
    sequence: Annotated[int, Between(1, 1024), Text(ja="系列長", en="sequence length")] = 64
    hidden: Annotated[int, Between(8, 1024), Text(ja="隠れ次元", en="hidden size")] = 112


def run(rank: Rank, parameters: Parameters) -> Readings:
    from verify.parallel import hybrid
    from verify.parallel.measures import bytes_of, relative_difference, size_of
    from verify.parallel.tensor_parallel import backward, sample

    p = parameters
    model = hybrid.make_model(p.layers, p.hidden, rank.seed, rank.device)
    inputs, targets = sample((p.batch, p.sequence, p.hidden), rank.seed, rank.device)
    backward(model(inputs), targets)

    mesh = hybrid.Mesh(p.data, p.stages, p.tensor, rank.device)
    for axis in hybrid.AXES:
        rank.wire.label(axis, partial(mesh.talk, axis))
    microbatch = inputs[: p.batch // p.data // p.microbatches]
    step = hybrid.HybridStep(mesh, model, microbatch, p.microbatches, rank.fault, rank.seed)
    step.backward(inputs, targets)  # opens the connections
    with rank.wire.window() as wire, rank.calls.window() as calls:
        gradient = step.backward(inputs, targets)

    counted = {
        "activation": bytes_of([microbatch]),
        "element": inputs.element_size(),
        "neighbours": mesh.neighbours(),
        "calls_data": calls.count("all_reduce", mesh.ranks("data")),
        "calls_tensor": calls.count("all_reduce", mesh.ranks("tensor")),
        "calls_stages": calls.count("send", mesh.ranks("stages")),
        "gradient_held": bytes_of([gradient]),
        "parameters_held": size_of(step.layers),
        "parameters_total": size_of(model),
        "parameters_replicated": hybrid.replicated_in_model(model),
        "layer_held": step.layer_size(),
    }
    difference = relative_difference(gradient, step.gradient_to_expect())
    return {
        **wire.readings(),
        **{f"wire_sent_{axis}": wire.reading_along(axis) for axis in hybrid.AXES},
        **{name: Reading(value, Source.COUNTED) for name, value in counted.items()},
        "gradient_difference": Reading(difference, Source.MEASURED),
        "replica_spread": Reading(max(rank.exchange(step.spread(gradient))), Source.MEASURED),
    }


def _ranks(parameters: Parameters) -> int:
    return parameters.data * parameters.tensor * parameters.stages


def _refuse(parameters: Parameters) -> Text | None:
    p = parameters
    if not 2 <= (ranks := _ranks(p)) <= _MOST_RANKS:
        return Text(
            ja=f"data × tensor × stages は {ranks} です。2 から {_MOST_RANKS} にしてください。",
            en=f"data × tensor × stages is {ranks}; it must be from 2 to {_MOST_RANKS}.",
        )
    parts = p.data * p.microbatches
    for name, value, divisor, by in (
        ("layers", p.layers, p.stages, f"stages={p.stages}"),
        ("hidden", p.hidden, p.tensor, f"tensor={p.tensor}"),
        ("batch", p.batch, parts, f"data × microbatches = {parts}"),
    ):
        if value % divisor:
            return Text(
                ja=f"{name}={value} は {by} で割り切れません。{divisor} の倍数にしてください。",
                en=f"{name}={value} can't be divided by {by}; choose a multiple of {divisor}.",
            )
    for names, elements, most in (
        ("batch × sequence × hidden", p.batch * p.sequence * p.hidden, _MOST_ACTIVATIONS),
        ("layers × hidden²", 4 * p.layers * p.hidden**2, _MOST_PARAMETERS),
    ):
        if (taken := elements * _ELEMENT) > most:
            return Text(
                ja=f"{names} が大きすぎます: {format_size(taken)} になります"
                f"（上限 {format_size(most)}）。",
                en=f"{names} is too large: it takes {format_size(taken)},"
                f" at most {format_size(most)} are possible.",
            )
    return None


def _expected_seconds(p: Parameters) -> float:
    """Measured on two cores; every rank also runs the whole model."""
    ranks = _ranks(p)
    operations = 24 * p.layers * p.hidden**2 * p.batch * p.sequence * (ranks + 2)
    return 0.5 + 0.1 * ranks + operations / 10e9


_QUANTITIES = (
    size(
        "activation",
        "1 マイクロバッチの活性化の量",
        "bytes of a micro-batch's activations",
    ),
    size("element", "要素 1 つの大きさ", "size of one element"),
    *WIRE,
    size_per_rank("wire_sent_data", "データ並列の軸での送信量", "bytes sent along the data axis"),
    size_per_rank(
        "wire_sent_tensor", "テンソル並列の軸での送信量", "bytes sent along the tensor axis"
    ),
    size_per_rank("wire_sent_stages", "ステージの軸での送信量", "bytes sent along the stage axis"),
    per_rank("calls_data", "データ並列の all-reduce の回数", "number of data-parallel all-reduces"),
    per_rank(
        "calls_tensor",
        "テンソル並列の all-reduce の回数",
        "number of tensor-parallel all-reduces",
    ),
    per_rank("calls_stages", "ステージ間の送信回数", "number of sends between stages"),
    per_rank("neighbours", "隣り合うステージの数", "number of adjacent stages"),
    per_rank(
        "gradient_difference",
        "1 プロセスで計算した勾配との相対差",
        "relative difference from one process's gradient",
    ),
    scalar(
        "replica_spread",
        "複製の間での勾配の最大差",
        "largest difference between the replicas' gradients",
    ),
    size_per_rank("gradient_held", "保持する勾配の量", "bytes of gradients held"),
    size_per_rank("parameters_held", "保持するパラメータの量", "bytes of parameters held"),
    size("parameters_total", "モデル全体のパラメータの量", "bytes of the whole model's parameters"),
    size(
        "parameters_replicated",
        "テンソル並列で分割しないパラメータの量",
        "bytes of the parameters that no tensor split divides",
    ),
    size_per_rank(
        "layer_held", "1 層のうち保持するパラメータの量", "bytes of one layer's parameters held"
    ),
)

# Below these sizes the headers of the messages (288 B × ranks of the axis for each payload that is
# all-reduced, 144 B for each activation that is sent to a neighbour) are more than 0.5 %.
_LARGE_GRADIENT = "layers*hidden*hidden >= 3600*(data-1)*stages*tensor"
_LARGE_PARTIAL = "batch*sequence*hidden >= 14400*(tensor-1)*data*microbatches"
_LARGE_BOUNDARY = "batch*sequence*hidden >= 3600*min(stages-1, 2)*data*microbatches"

_LAWS = (
    Law(
        "wire_sent_data == 2*(data-1)/data*gradient_held ± 0.5% of gradient_held",
        Text(
            ja="データ並列の軸では、各ランクが自分の持つ勾配の 2(d−1)/d 倍を送ります。",
            en="Along the data axis each rank sends 2(d−1)/d times the gradients that it holds.",
        ),
        when=_LARGE_GRADIENT,
        fault="skip-data-all-reduce",
    ),
    Law(
        "wire_sent_tensor == 2*microbatches*layers/stages * 2*(tensor-1)/tensor*activation"
        " ± 0.5% of (2*microbatches*layers/stages*activation)",
        Text(
            ja="テンソル並列の軸では、1 層、1 マイクロバッチ、順逆それぞれにつき"
            "活性化の 2(t−1)/t 倍を送ります。",
            en="Along the tensor axis each layer, micro-batch and direction sends 2(t−1)/t times"
            " the activations.",
        ),
        when=_LARGE_PARTIAL,
        fault="skip-tensor-all-reduce",
    ),
    Law(
        "wire_sent_stages == neighbours*microbatches*activation"
        " ± 0.5% of (microbatches*activation)",
        Text(
            ja="ステージの軸では、隣り合うステージごとに、各マイクロバッチの活性化かその勾配を送ります。",
            en="Along the stage axis each adjacent stage is sent, for each micro-batch, the"
            " activations or their gradients.",
        ),
        when=_LARGE_BOUNDARY,
    ),
    Law(
        "wire_sent == wire_sent_data + wire_sent_tensor + wire_sent_stages",
        Text(
            ja="3 つの軸を合わせると、送信量の全体にちょうど一致します。",
            en="The three axes add up to all that is sent, exactly.",
        ),
    ),
    Law(
        "calls_tensor == 2*microbatches*layers/stages*min(tensor-1, 1)",
        Text(
            ja="1 層、1 マイクロバッチにつき、順伝播と逆伝播で all-reduce を 1 回ずつ行います。",
            en="Each layer all-reduces once forward and once backward for each micro-batch.",
        ),
        fault="skip-tensor-all-reduce",
    ),
    Law(
        "activation == batch*sequence*hidden*element/(data*microbatches)",
        Text(
            ja="複製はバッチを分け合い、それをさらにマイクロバッチに分けます。",
            en="The replicas share the batch out, and each divides its part into micro-batches.",
        ),
    ),
    Law(
        "gradient_difference < 1e-12",
        Text(
            ja="どのランクの勾配も、バッチ全体の勾配（1 プロセスで計算）の対応する部分と同じです。",
            en="Every rank's gradient is its part of one process's gradient over the whole batch.",
        ),
        fault="sum-not-mean",
    ),
    Law(
        "replica_spread == 0",
        Text(
            ja="複製どうしの勾配はビット単位まで同じです。",
            en="The replicas' gradients are the same, to the bit.",
        ),
        when="data >= 2",
        fault="one-element",
    ),
    Law(
        "gradient_held == parameters_held",
        Text(
            ja="各ランクは、自分の持つパラメータの勾配だけを持ちます。",
            en="Each rank holds gradients of the parameters that it holds.",
        ),
    ),
    Law(
        "parameters_held == ((parameters_total-parameters_replicated)/tensor"
        " + parameters_replicated)/stages",
        Text(
            ja="パラメータはステージとテンソル並列で分割され、データ並列では分割されません。",
            en="Stages and tensor parallelism divide the parameters; data parallelism doesn't.",
        ),
    ),
)

_FAULTS = (
    Fault(
        "skip-data-all-reduce",
        Text(
            ja="複製の間で勾配を all-reduce しません。",
            en="The gradients are not all-reduced among the replicas.",
        ),
    ),
    Fault(
        "skip-tensor-all-reduce",
        Text(
            ja="層の内部の部分結果を all-reduce しません。",
            en="The partial results within a layer are not all-reduced.",
        ),
    ),
    Fault(
        "sum-not-mean",
        Text(
            ja="複製の勾配を平均せず、合計します。",
            en="The replicas' gradients are added up and not averaged.",
        ),
    ),
    Fault(
        "one-element",
        Text(
            ja="ランク 1 の勾配の要素を 1 つだけ壊します。",
            en="One element of rank 1's gradient is corrupted.",
        ),
    ),
)

experiment = Experiment(
    "hybrid-mesh",
    Parameters,
    run,
    quantities=_QUANTITIES,
    laws=_LAWS,
    faults=_FAULTS,
    title=Text(
        ja="データ並列・パイプライン並列・テンソル並列の組み合わせ",
        en="Data, pipeline and tensor parallelism on one mesh",
    ),
    world_size=_ranks,
    refuse=_refuse,
    expected_seconds=_expected_seconds,
    on_device=True,
)
