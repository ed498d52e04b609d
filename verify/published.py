"""The shapes of published language models. Pure."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Transformer:
    """A decoder of equal layers, as its authors describe it."""

    name: str
    layers: int
    hidden: int
    heads: int
    key_heads: int  # heads of keys and of values
    width: int  # of the MLP
    sequence: int  # tokens, in pre-training
    gated: bool  # whether the MLP has a gate, hence three matrices
    biases: bool


def _gpt(name: str, layers: int, hidden: int, heads: int) -> Transformer:
    return Transformer(name, layers, hidden, heads, heads, 4 * hidden, 2048, False, True)


def _llama3(name: str, layers: int, hidden: int, heads: int, width: int) -> Transformer:
    return Transformer(name, layers, hidden, heads, 8, width, 8192, True, False)


MODELS = {
    model.name: model
    for model in (
        # Brown et al. 2020, table 2.1, and section 2.1 for the width and the sequence.
        _gpt("gpt3-175b", 96, 12288, 96),
        # Smith et al. 2022 (Megatron-Turing NLG), section 2.3.
        _gpt("mt-nlg-530b", 105, 20480, 128),
        # Llama Team 2024 (The Llama 3 Herd of Models), table 3 and section 3.2.
        _llama3("llama3-8b", 32, 4096, 32, 14336),
        _llama3("llama3-70b", 80, 8192, 64, 28672),
        _llama3("llama3-405b", 126, 16384, 128, 53248),
    )
}
