"""LaTeX as one line of text; the expected lines are how the formulas are read aloud, by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiz.screens import mathematics
from quiz.screens.mathematics import one_line, readable, unrenderable


@pytest.mark.parametrize(
    ("source", "line"),
    [
        (r"2(N-1)/N \times \Psi", "2(N-1)/N × Ψ"),
        (
            r"g = \frac{1}{N} \sum_{i=1}^{N} \nabla_{\theta} L_i",
            "g = (1/N) Σᵢ₌₁ᴺ ∇_θ Lᵢ",
        ),
        (r"\theta \leftarrow \theta - \eta g", "θ ← θ - ηg"),
        (r"\frac{p-1}{m+p-1}", "(p-1)/(m+p-1)"),
        (r"2\frac{N-1}{N}S", "2((N-1)/N)S"),
        (r"\left\lceil \frac{n}{k} \right\rceil", "⌈n/k⌉"),
        (r"S \log_2 N", "S log₂ N"),
        (r"2^{20}", "2²⁰"),
        (r"10^{-3}", "10⁻³"),
        (r"e^{-x/2}", "e^(-x/2)"),
        (r"W_{\text{batch}}", "W_batch"),
        (r"A_{ij}^{\top}", "Aᵢⱼᵀ"),
        (r"\hat{g}_t \in \mathbb{R}^{d}", "ĝₜ ∈ ℝ^d"),
        (r"\sqrt[3]{x} \le \sqrt{x+1}", "³√x ≤ √(x+1)"),
        (r"\lVert g \rVert_\infty", "‖g‖_∞"),
        (r"3\,\text{ms if } x\%", "3 ms if x%"),
        ("1.5A", "1.5A"),
        ("f'(x)", "f'(x)"),
    ],
)
def test_a_formula_in_one_line(source, line):
    assert one_line(f"${source}$") == line


@pytest.mark.parametrize(
    "source",
    [
        r"\begin{matrix}a&b\end{matrix}", r"a \\ b", r"\unheardof{x}", r"\frac{a", "x^", "x__y",
        r"\sqrt", r"\bar{xy}", "a % comment", "{" * 300 + "}" * 300, "x_" * 600 + "1", r"\hat",
    ],
)  # fmt: skip
def test_what_no_line_can_hold_stays_as_written(source):
    text = f"before ${source}$ after"
    assert readable(text) == text
    assert [(f.source, f.start, f.end) for f in unrenderable(text)] == [
        (f"${source}$", 7, len(text) - 6)
    ]


@given(st.text(alphabet=r"\{}_^$ab1 &%~'+-" + "αあ\n", max_size=40))
def test_it_never_raises_and_leaves_prose_alone(text):
    readable(text)
    unrenderable(text)
    assert readable(text.replace("$", "")) == text.replace("$", "")


@given(st.lists(st.sampled_from(
    [r"\frac", r"\sum", r"\hat", r"\text", r"\left", r"\sqrt", r"\mathbb", r"\not", "{", "}", "_",
     "^", "x", " ", "(", r"\\", r"\{", "[", "]"]
), max_size=12))  # fmt: skip
def test_no_mixture_of_commands_raises(parts):
    line = one_line("$" + "".join(parts) + "$")
    assert line is None or ("\n" not in line and line == line.strip())


@given(st.lists(st.sampled_from(
    [r"\frac", "{N}", r"{a-1}", r"{\theta}", r"\sum", "_", "^", "x", "2", " ", "(", r"\eta", "-",
     "+", r"\log", "{", "}", "あ"]
), min_size=1, max_size=10))  # fmt: skip
def test_what_is_easily_seen_to_fit_a_line_does(parts):
    source = "".join(parts)
    if source.strip() and mathematics._easy(source.strip()):
        assert one_line(f"${source}$") is not None
