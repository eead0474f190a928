"""The grammar of informal statements, what makes two of them one, and what they say in numbers."""

from __future__ import annotations

import numpy as np
import pytest

from counterfoil.tasks.theorem.algebra.instances import examine, try_instances
from counterfoil.tasks.theorem.families.profile import profile_change
from counterfoil.tasks.theorem.language.compare import find_renaming, is_same, read_meaning
from counterfoil.tasks.theorem.language.grammar import GrammarError, read_statement
from counterfoil.tasks.theorem.language.numbers import state_numbers
from counterfoil.tasks.theorem.language.rephrase import apply_renaming, is_reworded, reword
from counterfoil.tasks.theorem.latex.terms import LatexError, is_balanced, read_statements
from counterfoil.tasks.theorem.lean.signature import UnstatedError


def roles(text: str) -> list[tuple[str, str]]:
    statement = read_statement(text)
    return [(clause.role, statement.quote(clause)) for clause in statement.clauses]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "Let $G$ be a group. Show that if $G$ is cyclic, then $G$ is abelian.",
            [("hypothesis", "$G$ be a group"), ("hypothesis", "$G$ is cyclic"), ("conclusion", "$G$ is abelian")],
        ),
        (
            "If $x > 1$, prove that $x^2 > 1$.",
            [("hypothesis", "$x > 1$"), ("conclusion", "$x^2 > 1$")],
        ),
        (
            "If $2x = 6$, what is $x$? Show that it is 3.",
            [("hypothesis", "$2x = 6$"), ("question", "what is $x$"), ("answer", "3")],
        ),
        (
            "Show that for all integers $n$, $2n$ is even.",
            [("hypothesis", "all integers $n$"), ("conclusion", "$2n$ is even")],
        ),
    ],
)
def test_clauses_have_their_roles(text: str, found: list[tuple[str, str]]) -> None:
    assert roles(text) == found


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("What is the sum of 1 and 2, please?", "no_claim"),
        ("Show that $a = b$. Show that $b = c$.", "several_claims"),
        ("Show that $a = b for all a.", "unbalanced"),
        ("Find $x$ such that $x = 2$. Show that $x$ is even.", "no_answer"),
        ("Show that $a = b$. When does equality hold for c?", "after_claim"),
        ("Show that $1$.", "length"),
    ],
)
def test_what_is_not_of_the_grammar_has_a_reason(text: str, code: str) -> None:
    with pytest.raises(GrammarError, match=f"^{code}:"):
        read_statement(text)


SAME = [
    ("Show that if $n$ is odd, then $n^2$ is odd.", "Suppose that $k$ is odd. Prove that $k^2$ is odd."),
    ("Prove that $3$ divides $n^3 - n$.", "Prove that $m^3 - m$ is divisible by $3$."),
    ("Show that for all $x$, $x^2 \\geq 0$.", "Show that for every $y$, $0 \\leq y^2$."),
    ("What is $2 + 2$? Show that it is 4.", "Find $2 + 2$. Prove that it is 4."),
]
OTHER = [
    ("Show that if $n$ is odd, then $n^2$ is odd.", "Suppose that $k$ is even. Prove that $k^2$ is odd."),
    ("Show that $a - b$ is even for all $a$, $b$.", "Show that $a - a$ is even for all $a$, $a$."),
    ("Show that $x < y$ and $y < z$.", "Show that $x < y$ and $z < y$."),
    ("Show that $x^2 \\geq 0$ for all $x$.", "Show that $x^2 > 0$ for all $x$."),
    ("Show that $e^x > x$ for all $x$.", "Show that $a^x > x$ for all $x$."),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_rewordings_are_the_same_statement(one: str, other: str) -> None:
    assert is_same(read_meaning(one), read_meaning(other))


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_other_statements_are_not_the_same(one: str, other: str) -> None:
    assert not is_same(read_meaning(one), read_meaning(other))


def test_hypotheses_are_a_set() -> None:
    one = read_meaning("Suppose that $a > 1$. Suppose that $b$ is prime. Show that $a + b > 3$.")
    other = read_meaning("Suppose that $q$ is prime. Suppose that $p > 1$. Show that $p + q > 3$.")
    assert find_renaming(one, other) == {"a": "p", "b": "q"}


def test_a_renaming_captures_nothing_and_leaves_constants() -> None:
    text = "Let $x$ and $y$ be in $\\mathbb{R}$. Show that $e^x + \\operatorname{xy} > y$."
    assert apply_renaming(text, {"x": "u", "R": "Q"}) == (
        "Let $u$ and $y$ be in $\\mathbb{R}$. Show that $e^u + \\operatorname{xy} > y$."
    )


@pytest.mark.parametrize("seed", range(12))
def test_every_rewording_reads_as_the_same_statement(seed: int) -> None:
    text = "Let $a$, $b$ be integers. Show that if $a > b$ and $3$ divides $a$, then for all $n$, $an \\geq bn - a$."
    made = reword(text, np.random.default_rng(seed))
    assert made.text != text
    assert is_same(read_meaning(text), read_meaning(made.text))


def test_latex_is_read_with_its_places() -> None:
    text = "$2ab \\leq \\frac{a^2 + b^{2}}{1}$"
    (term,) = read_statements(text, 1, len(text) - 1)
    assert (term.head, text[term.args[0].start : term.args[0].end]) == ("le", "2ab")


@pytest.mark.parametrize("source", ["x^12", "1 + \\cdots + n", "f'(x) = 0", "a \\oplus b", "\\log x > 1", "a +"])
def test_latex_that_is_not_known_is_an_error(source: str) -> None:
    with pytest.raises(LatexError):
        read_statements(source, 0, len(source))


@pytest.mark.parametrize("text", ["$a", "${a$", "$a}$", "\\begin{align*}$a$", "$\\left( a$"])
def test_latex_that_does_not_close_is_unbalanced(text: str) -> None:
    assert not is_balanced(text)


def test_a_statement_in_numbers_is_tried() -> None:
    true = read_statement(
        "Let $a$ and $b$ be real numbers such that $a^2 + b^2 = 1$. Show that $ab \\leq \\frac{1}{2}$."
    )
    false = read_statement(
        "Let $a$ and $b$ be real numbers such that $a^2 + b^2 = 1$. Show that $ab \\leq \\frac{1}{3}$."
    )
    assert try_instances(state_numbers(true)).held > 3
    assert try_instances(state_numbers(false)).refuted


@pytest.mark.parametrize(
    "text",
    [
        "Show that for any integer $n \\geq 3$, we have $n! < n^{n-1}$.",
        "Let $x$ be a real number. Show that $x^2 > 1$ if $x > 1$.",
        "Show that $x^2 > 1$ for all real numbers $x$ with $x > 1$.",
        "Let $x$ be a real number. Show that $x^2 > 1$ whenever $x > 1$.",
        "What is the value of $2^{10} - 24$? Show that it is 1000.",
    ],
)
def test_a_true_statement_in_numbers_is_not_refuted_by_the_place_of_its_condition(text: str) -> None:
    tried = examine(state_numbers(read_statement(text)))
    assert tried.held and not tried.refuted


@pytest.mark.parametrize(
    "text",
    [
        "Let $n$ be a nice integer. Show that $n > 0$.",
        "Show that $x^2 \\geq 0$.",
        "Let $x$ be real. Show that $x^2 \\geq 0$ unless $x$ is small.",
        "Let $x$ be a real number. Show that $x^2 = 2$ for some integer $y$.",
        "Show that for some real number $x$, $x^2 = 2$.",
        "Let $b$ and $x$ be reals. Suppose that $x^2 + b > 0$ for all $x$. Show that $b > 0$.",
        "Let $x$ be a real number. Show that $x$ is an integer and $x > 0$.",
        "Let $x$ be a real number. Suppose that $x$ is an integer. Show that $x^2 \\geq x$.",
        "Let $x$ be a positive real number. Show that $1/2x > 0$.",
        "Let $x$ be a real number. Show that $\\sin 2x \\leq 1$.",
        "What is $5 \\cdot 1\\frac{1}{2}$? Show that it is 7.5.",
        "What is $2^2$? Show that it is 4\\%.",
    ],
)
def test_one_word_that_is_not_understood_and_nothing_is_tried(text: str) -> None:
    with pytest.raises(UnstatedError):
        state_numbers(read_statement(text))


def test_a_letter_that_names_an_axis_keeps_its_name() -> None:
    text = "Let $x$ and $y$ be real numbers such that $2x + y = 4$. Show that the $y$-intercept is $4$ if $x = 0$."
    made = [reword(text, np.random.default_rng(seed)).text for seed in range(30)]
    assert all("$y$-intercept" in each for each in made)
    assert any("$x$" not in each for each in made)


def test_rewordings_are_made_both_ways() -> None:
    let, suppose = (
        "Let $n$ be an integer. Show that $n^2 \\geq n$.",
        "Suppose that $n$ is an integer. Show that $n^2 \\geq n$.",
    )
    assert any(reword(let, np.random.default_rng(seed)).text.startswith("Suppose that") for seed in range(30))
    assert any(reword(suppose, np.random.default_rng(seed)).text.startswith("Let $") for seed in range(30))


def test_a_repetition_that_is_broken_is_a_change() -> None:
    assert profile_change("n = 2 or n = 2", "n = 2 or n = 3")["#repeated"] == -1
    assert profile_change("n = 2 or n = 3", "n = 2 or n = 2")["#distinct numbers"] == -1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("If $2x = 6$, what is $x$? Show that it is 3.", "Suppose that $2x = 6$. What is $x$? Show that it is 3."),
        ("What is the value of $2 + 2$? Show that it is 4.", "What is $2 + 2$? Show that it is 4."),
        ("Show that there exists a prime that is even.", "Show that there is a prime that is even."),
    ],
)
def test_each_rewording_has_its_way_back(one: str, other: str) -> None:
    """What could go one way alone would be known by it."""
    assert is_same(read_meaning(one), read_meaning(other))
    for text, wanted in ((one, other), (other, one)):
        assert wanted in {reword(text, np.random.default_rng(seed)).text for seed in range(200)}


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("The number $n$ is divisible by 18. What is $n$? Show that it is 36.", "18 divides $n$"),
        ("Suppose that $n = 3p$, where $p$ is a prime. Show that $p$ divides $n$.", "$p$ be a prime"),
        ("Suppose that $x = 1$ and that $y = 2$. What is $x + y$? Show that it is 3.", "If $x = 1$"),
        ("Show that there exist a ring $R$ and a field $K$ that are equal.", "there are a ring"),
        ("If $a > 1,$ what is the least value of $a^2?$ Show that it is 4.", "that if"),
        ("If $a > 1,$ what is the least value of $a^2?$ Show that it is 4.", "4 if"),
        ("Prove that if $a > 1$ and $b > 1,$ then $ab > 1$.", "1,$."),
        ("If $f(3) = 5$ and $f(-3)=2,$ then what is the value of $f(1)$? Show that it is 8.", "2,$."),
        ("Suppose $X$ is complete. Prove Baire's theorem, namely, that $X$ is not empty.", "then Prove"),
        ("Let $x$ and $y$ be real numbers. Show that $x + y = y + x$.", "$y$ and $x$"),
    ],
)
def test_a_rewording_that_nobody_would_write_is_not_made(text: str, wrong: str) -> None:
    assert all(wrong not in reword(text, np.random.default_rng(seed)).text for seed in range(200))


def test_an_answer_in_letters_is_renamed_too() -> None:
    text = "Let $p$, $q$, and $r$ be constants. What is $p + q - r$? Show that it is p+q-r."
    renamed = apply_renaming(text, {"r": "s"})
    assert renamed.endswith("What is $p + q - s$? Show that it is p+q-s.")
    assert is_same(read_meaning(text), read_meaning(renamed))
    assert not is_same(read_meaning(text), read_meaning(renamed.replace("q-s.", "q-r.")))


def test_a_space_before_a_comma_is_no_rewording() -> None:
    assert not is_reworded(
        read_statement("Show that if $n$ is 2 , then $n > 1$ ."), "Prove that if $n$ is 2 then $n > 1$."
    )


@pytest.mark.parametrize(
    ("text", "supposed", "claimed"),
    [
        ("If $x > 3$ then $x^2 > 9$.", ["$x > 3$"], "$x^2 > 9$"),
        ("Let $n$ be an even integer. Then $n^2$ is even.", ["$n$ be an even integer"], "$n^2$ is even"),
        ("For every integer $n$, $n^2 + n$ is even.", ["every integer $n$"], "$n^2 + n$ is even"),
        ("Every group of prime order is cyclic.", [], "Every group of prime order is cyclic"),
    ],
)
def test_a_book_claims_without_a_verb(text: str, supposed: list[str], claimed: str) -> None:
    statement = read_statement(text)
    assert [statement.quote(each) for each in statement.list_clauses("hypothesis")] == supposed
    assert [statement.quote(each) for each in statement.list_clauses("conclusion")] == [claimed]


@pytest.mark.parametrize(
    "text", ["What is the value of $x + 1$?", "Let $x$ be a real number.", "We like $x > 3$. Then $x^2 > 9$."]
)
def test_what_claims_nothing_is_no_statement(text: str) -> None:
    with pytest.raises(GrammarError, match="no_claim"):
        read_statement(text)


def test_letters_of_books_are_numbers_only_where_something_is_supposed_of_them() -> None:
    found = state_numbers(read_statement("If $x > 3$ and $n > 2$ then $x + n > 5$."))
    assert (dict(found.sorts), found.assumed) == ({"n": "Z", "x": "R"}, True)
    assert not state_numbers(read_statement("Let $x$ be an integer. If $x > 3$ then $x^2 > 9$.")).assumed


def test_a_second_condition_keeps_the_verb_of_the_first():
    text = "Suppose $f$ is one-to-one, and suppose that $f(2)=4$. What is the value of $f(f(2))$? Show that it is 2."
    made = {reword(text, np.random.default_rng(seed)).text for seed in range(40)}
    assert len(made) > 1
    assert not any(each.startswith("If ") for each in made)
