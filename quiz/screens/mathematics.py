r"""LaTeX between `$` as a line of text, where that loses nothing; else its source stays.

`$2(N-1)/N \times \Psi$` reads `2(N-1)/N × Ψ`; a matrix stays as it was written.
"""

from __future__ import annotations

import re

from quiz.deck.fill import MATHEMATICS

_SIGNS = {
    "times": "×", "cdot": "·", "div": "÷", "pm": "±", "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥",
    "ne": "≠", "neq": "≠", "approx": "≈", "propto": "∝", "infty": "∞", "nabla": "∇", "partial": "∂",
    "sum": "Σ", "to": "→", "rightarrow": "→", "in": "∈", "ll": "≪", "gg": "≫", "ldots": "…",
    "cdots": "⋯", "lceil": "⌈", "rceil": "⌉", "lfloor": "⌊", "rfloor": "⌋", "quad": " ",
    "log": "log", "max": "max", "min": "min", "exp": "exp", "left": "", "right": "",
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "eta": "η",
    "theta": "θ", "lambda": "λ", "mu": "μ", "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ",
    "phi": "φ", "psi": "ψ", "omega": "ω", "Delta": "Δ", "Theta": "Θ", "Sigma": "Σ", "Phi": "Φ",
    "Psi": "Ψ", "Omega": "Ω",
}  # fmt: skip
_GROUP = r"\{([^{}\\]*)\}"


def readable(text: str) -> str:
    """`text` with each formula that is simple enough as plain characters."""
    return MATHEMATICS.sub(lambda match: _plain(match[0]), text)


def _plain(source: str) -> str:
    formula = re.sub(
        r"\\([A-Za-z]+)(?: +(?=[A-Za-z]))?",
        lambda match: _SIGNS.get(match[1], match[0]),
        source.strip("$"),
    )
    formula = re.sub(r"\\[,;:! ]", " ", formula).replace(r"\%", "%")
    formula = re.sub(rf"\\(?:text|mathrm|mathit|operatorname) *{_GROUP}", r"\1", formula)
    formula = re.sub(
        rf"\\[dt]?frac *{_GROUP} *{_GROUP}",
        lambda match: f"{_operand(match[1])}/{_operand(match[2])}",
        formula,
    )
    formula = re.sub(rf"([_^]){_GROUP}", lambda m: m[1] + _operand(m[2]), formula)
    formula = re.sub(" +", " ", formula).strip()
    return source if re.search(r"[\\{}&]", formula) else formula


def _operand(text: str) -> str:
    text = text.strip()
    return text if re.fullmatch(r"\w+|\(.*\)", text) else f"({text})"
