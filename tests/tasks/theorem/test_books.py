"""What books state is read to the last word: the true holds at every instance tried, the false fails at one."""

from __future__ import annotations

import pytest

from counterfoil.tasks.theorem.algebra.instances import examine
from counterfoil.tasks.theorem.language.grammar import GrammarError, read_statement
from counterfoil.tasks.theorem.language.numbers import state_numbers
from counterfoil.tasks.theorem.lean.signature import UnstatedError

TRUE = (
    "If $x > 3$ then $x^2 > 9$.",
    "Theorem 3.2. Let $n$ be an odd integer. Then $n^2$ is odd.",
    "Lemma (Parity). Let $n$ be odd. It follows that $n^2$ is odd.",
    "For every integer $n$, the number $n^2 + n$ is even.",
    r"For all real numbers $a$ and $b$ we have $a^2 + b^2 \geq 2ab$.",
    r"Whenever $x \geq 1$ we have $x^2 \geq x$.",
    "When $n$ is even, $n^2$ is divisible by 4.",
    "Given a positive real number $x$, we have $x^2 > 0$.",
    "Let $n$ be an even integer; then $n^2$ is divisible by $4$.",
    "Fix a positive integer $n$. Then $2^n > n$.",
    r"If $p$ is a prime and $p \mid ab$, then $p \mid a$ or $p \mid b$.",
    "Suppose that $x$ is a real number with $x^2 = 4$. Then either $x = 2$ or $x = -2$.",
    "If $a$ and $b$ are even, so is $a + b$.",
    "Let $n$ be an integer. If $n^2$ is even, then so is $n$.",
    "An integer $n$ is even if and only if $n^2$ is even.",
    "An integer $n$ is divisible by 6 exactly when $n^2$ is divisible by 12.",
    "The sum of two odd integers is even.",
    "The product of any two consecutive integers is even.",
    "The sum of three consecutive integers is divisible by $3$.",
    "The cube of an odd number is odd.",
    "The difference of two odd numbers is even.",
    "No prime greater than $2$ is even.",
    "Every prime at least 3 is odd.",
)
FALSE = (
    "If $x > 2$ then $x^2 > 9$.",
    "Theorem 3.2. Let $n$ be an integer. Then $n^2$ is odd.",
    "For every integer $n$, the number $n^2 + 2n$ is even.",
    r"For all real numbers $a$ and $b$ we have $a^2 + b^2 > 2ab$.",
    r"Whenever $x \leq 1$ we have $x^2 \geq x$.",
    "Let $n$ be an even integer; then $n^2$ is divisible by $8$.",
    "Fix a positive integer $n$. Then $2^n > n + 1$.",
    r"If $p$ is a positive integer and $p \mid ab$, then $p \mid a$ or $p \mid b$.",
    "Suppose that $x$ is a real number with $x^2 = 4$. Then either $x = 2$ or $x = -3$.",
    "If $a$ and $b$ are odd, so is $a + b$.",
    "An integer $n$ is even if and only if $n^2$ is odd.",
    "The sum of two odd integers is odd.",
    "The product of two consecutive integers is odd.",
    "The sum of three consecutive integers is divisible by $6$.",
    "The cube of any even integer is divisible by 16.",
    "No prime greater than $1$ is even.",
    "Every prime is odd.",
    "A positive integer $n$ is at least 2.",
)
# What stands in each could be read in two ways, or says more than numbers do.
UNTOLD = (
    "Let $n > 1$ be an integer. Then a prime $p$ divides $n$.",
    "If $a$ is even and $b$ is odd, so is $a + b$.",
    "Let $x$ be real. Then $x > 0$ and $x > 1$ or $x < 2$.",
    "The sum of the first $n$ odd numbers is $n^2$.",
    "The sum of two integers $a$ and $b$ is even.",
    "Let $f(x) = 2x + 3$. Then $f(4) = 11$.",
    "Every integer $n > 1$ has a prime divisor.",
)


@pytest.mark.parametrize("text", TRUE)
def test_what_a_book_says_holds_where_it_is_tried(text: str) -> None:
    tried = examine(state_numbers(read_statement(text)))
    assert not tried.refuted and (tried.held or tried.proved), tried


@pytest.mark.parametrize("text", FALSE)
def test_what_is_false_in_a_books_words_fails_somewhere(text: str) -> None:
    assert examine(state_numbers(read_statement(text))).refuted


@pytest.mark.parametrize("text", UNTOLD)
def test_what_could_be_read_in_two_ways_is_not_tried(text: str) -> None:
    with pytest.raises(UnstatedError):
        state_numbers(read_statement(text))


@pytest.mark.parametrize(
    "text", ["When $n$ is even, is $n^2$ even?", "Let $n$ be odd, and $m$ even.", "Suppose $x > 2$, and $y > 3$."]
)
def test_what_claims_nothing_is_refused(text: str) -> None:
    with pytest.raises(GrammarError, match="no_claim"):
        read_statement(text)
