from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfoil.tasks.showing.notation import make_readable


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"In \triangle ABC, AB = 8.", "In △ABC, AB = 8."),
        (r"The circle \odot O has radius 3", "The circle ⊙O has radius 3"),
        (r"\angle ABC = 30^\circ", "∠ABC = 30°"),
        (r"\angle ABC = 30^{\circ}.", "∠ABC = 30°."),
        (r"AB \parallel CD, AB \perp EF", "AB ∥ CD, AB ⊥ EF"),
        (r"AB\parallel CD", "AB∥CD"),
        (r"AB = 2\sqrt{3}", "AB = 2√3"),
        (r"AB = \sqrt{x+1}, \sqrt[3]{8}", "AB = √(x+1), ³√8"),
        (r"\frac{1}{2} of it", "1/2 of it"),
        (r"\frac{a+b}{2}", "(a+b)/2"),
        (r"\frac{\sqrt{3}}{2}", "√3/2"),
        (r"\frac12", "1/2"),
        (r"2\frac{1}{2}x", "2(1/2)x"),
        (r"x^2 + x^{10} = 2^10", "x² + x¹⁰ = 2¹⁰"),
        (r"$x_i^{n+1}$", "xᵢⁿ⁺¹"),
        (r"$a_{AB}$", "a_(AB)"),
        (r"\overline{AB} \cong \overline{CD}", "A\u0305B\u0305 ≅ C\u0305D\u0305"),
        (r"$2\pi r^2$ and \(x \in \mathbb{R}\)", "2πr² and x ∈ ℝ"),
        (r"\left( \frac{x}{y} \right)", "( x/y )"),
        (r"\sin 30^\circ, 2\sin x", "sin 30°, 2sin x"),
        (r"A' lies on it, $A^\prime$", "A' lies on it, A′"),
        (r"\text{if } 5\% of it", "if  5% of it"),
    ],
)
def test_latex_is_read_as_text(latex: str, text: str) -> None:
    assert make_readable(latex) == text


@pytest.mark.parametrize(
    "text",
    [
        "It costs $5 and $6, or $7.",
        "user_id -> step_1, [A-Z]^ and ^[a-z]",
        r"C:\users\new_file and \unknowncommand{x}",
        r"\sqrt{ is not closed, neither is \frac{1}",
        "An arrow points from node <A_long> to node <B>.",
        "甲乙丙 = 5",
    ],
)
def test_what_is_no_latex_stays_as_it_is(text: str) -> None:
    assert make_readable(text) == text


@given(st.text(alphabet=st.characters(exclude_characters="\\$^_")))
def test_a_text_without_commands_stays_as_it_is(text: str) -> None:
    assert make_readable(text) == text


@given(st.text(alphabet=r"\$^_{}()[]a1 ", max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    assert isinstance(make_readable(text), str)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("text", [r"\sqrt{" * 3000, "{" * 20_000, "$x" * 9_000, r"\(" * 9_000, r"x^{" * 6_000])
def test_a_text_made_to_be_slow_is_read(text: str) -> None:
    assert isinstance(make_readable(text), str)
