"""Near misses of an informal statement: changes that may give one. A verifier says whether one is a negative."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence

import numpy as np

from counterfoil.tasks.theorem.algebra.tree import Term, find_free
from counterfoil.tasks.theorem.edits.agreement import is_plural, keeps_agreement
from counterfoil.tasks.theorem.edits.concepts import hide_math, list_concepts
from counterfoil.tasks.theorem.edits.posing import is_well_posed
from counterfoil.tasks.theorem.edits.trees import (
    LATEX_SIGNS,
    Change,
    draw_numbers,
    is_written_so,
    list_bounded,
    list_changes,
    write_changes,
)
from counterfoil.tasks.theorem.language.grammar import Statement
from counterfoil.tasks.theorem.language.pieces import Piece, split_pieces
from counterfoil.tasks.theorem.language.rephrase import list_declared
from counterfoil.tasks.theorem.latex.terms import LatexError, read_statements


def propose(statement: Statement, rng: np.random.Generator, undecided: bool) -> list[Change]:
    """Changes that may give near misses, in no order; those that no instance can decide only where ``undecided`` are
    kept."""
    changes = [
        *_change_answer(statement, rng),
        *_change_words(statement),
        *_change_terms(statement, rng),
        *list_concepts(statement),
    ]
    return [
        each
        for each in dict.fromkeys(changes)
        if (undecided or each.kind != "omit_word")
        and _agrees(each, statement.text)
        and not _orders_the_unordered(each, statement.text)
        and is_well_posed(each, statement)
    ]


def write(changes: Sequence[Change], statement: Statement) -> str:
    """The statement's text after changes at different places; empty where nobody would write it so."""
    text = _tidy(write_changes(changes, statement.text))
    return text if text != statement.text and is_written_so(text, statement.text) else ""


def _agrees(change: Change, text: str) -> bool:
    """Whether what stands beside a number that was exchanged still agrees with it."""
    old, new = text[change.start : change.end], change.replacement
    if change.kind not in ("number", "answer") or not (old.isdecimal() and new.isdecimal()):
        return True
    return keeps_agreement(text[: change.start], old, new, text[change.end :])


_UNORDERED = re.compile(
    r"\b(?:groups?|subgroups?|abelian|rings?|ideals?|fields?|modules?|matrix|matrices|operators?|linear|vectors?|permutations?"
    r"|homomorphisms?|isomorphisms?|spaces?)\b|\belements? of \$",
    re.IGNORECASE,
)
_ORDER = re.compile(r"[<>]|\\(?:n?[lg]eq?|[lg]t)\b")


def _orders_the_unordered(change: Change, text: str) -> bool:
    """Whether it compares, by more and less, what was equal and may be no number: elements of a group, operators."""
    made = _ORDER.match(change.replacement.strip()) is not None
    return made and text[change.start : change.end].strip() == "=" and _UNORDERED.search(text) is not None


def _tidy(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def _change_answer(statement: Statement, rng: np.random.Generator) -> Iterator[Change]:
    """Another of the choices that a test gives, or another number."""
    for clause in statement.list_clauses("answer"):
        said = statement.quote(clause)
        choices = list_choices(statement.text[: statement.verb[0]])
        label, value = split_choice(said)
        for name, other in choices:
            if label and name != label and other:
                yield Change(
                    "answer",
                    clause.start,
                    clause.end,
                    said.replace(f"({label})", f"({name})").replace(value, other)
                    if f"({label})" in said
                    else said.replace(value, other),
                )
        if choices and not label:
            listed = [value for _, value in choices]
            if said in listed:
                yield from (Change("answer", clause.start, clause.end, each) for each in listed if each != said)
                continue
        if choices and label:
            continue
        divided = _DIVIDED.search(statement.text[: clause.start])
        most = int(divided["one"] or divided["two"]) if divided else math.inf
        for piece in re.finditer(r"(?<![\\\w.{])\d+(?![\w.,])|(?<=\{)\d+(?=\})", said):
            if piece.group().startswith("0") and piece.group() != "0":
                digits = len(piece.group())
                for value_ in draw_numbers(int(piece.group()) or 1, rng, 2):
                    yield Change(
                        "answer", clause.start + piece.start(), clause.start + piece.end(), str(value_).zfill(digits)
                    )
                continue
            drawn = draw_numbers(int(piece.group()), rng, 2 if most == math.inf else 8)
            for number in [each for each in drawn if each < most][:2]:
                yield Change("answer", clause.start + piece.start(), clause.start + piece.end(), str(number))


_DIVIDED = re.compile(
    r"\bremainder\b.*?(?:divided by|\bmod\b|\\pmod|\bmodulo) *[{$]*(?P<one>\d+)\b"
    r"|(?:\bmodulo|\\pmod) *[{$]*(?P<two>\d+)\b.*?\bremainder\b",
    re.DOTALL,
)
"""A question for a remainder, which is less than what is divided by."""


def list_choices(text: str) -> list[tuple[str, str]]:
    """The labelled choices of a test: ``\\textbf{(A)}\\ 8 \\qquad \\textbf{(B)}\\ 10``."""
    marks = list(
        re.finditer(r"\\(?:textbf|mathrm|text) ?\{ ?\(([A-E])\) ?\}|\((?:\\mathrm|\\text) ?\{ ?([A-E]) ?\}\)", text)
    )
    found = []
    for i, mark in enumerate(marks):
        end = marks[i + 1].start() if i + 1 < len(marks) else len(text)
        value = re.sub(r"\\q?quad.*$|\$\s*$|^(?:\\ |~|\s)+", "", text[mark.end() : end].strip(), flags=re.DOTALL)
        value = re.sub(r"^(?:\\ |~|\s)+|[\s\\]+$", "", value)
        if value and len(value) < 40 and "$" not in value:
            found.append((mark[1] or mark[2], value))
    return found if len(found) > 2 else []


def split_choice(said: str) -> tuple[str, str]:
    """``\\textbf{(E)}\\ 26`` as E and 26; the label is empty where there is none."""
    mark = re.match(r"\\(?:textbf|mathrm|text) ?\{ ?\(([A-E])\) ?\}", said)
    if mark is None:
        return "", said
    return mark[1], re.sub(r"^(?:\\ |~|\s)+", "", said[mark.end() :])


_WORD_CHANGES: tuple[tuple[str, str, str], ...] = (
    ("quantifier", r"\b([Ee])very(?= )", "no"),
    ("quantifier", r"\b([Nn])o(?= \w+)", "every"),
    ("existence", r"\b([Tt])here (?:exists|is) an?\b", "there is no"),
    ("existence", r"\b([Tt])here (?:exists|is) no\b", "there is a"),
    ("existence", r"\b([Hh])as an?\b(?= )", "has no"),
    ("existence", r"\b([Hh])as no\b(?= \w+)", "has a"),
    ("negation", r"\b([Ii])s(?= (?!not\b|no\b|at\b|the\b)\w)", "is not"),
    ("negation", r"\b([Ii])s not\b", "is"),
    ("negation", r"\b([Dd])oes not divide\b", "divides"),
    ("negation", r"\b([Dd])ivides\b", "does not divide"),
)


def _change_words(statement: Statement) -> Iterator[Change]:
    """Negations and quantifiers in what is concluded."""
    for clause in statement.list_clauses("conclusion"):
        said = statement.quote(clause)
        plain = hide_math(said)
        for kind, pattern, new in _WORD_CHANGES:
            for match in re.finditer(pattern, plain):
                word = new.capitalize() if match[1].isupper() else new
                following = plain[match.end() :].lstrip()
                if new in ("every", "there is a") and is_plural(following):
                    continue
                if new == "has a" and is_plural(following):
                    word = word[:3]
                elif new in ("there is a", "has a") and following[:1].lower() in "aeiou":
                    word += "n"
                yield Change(kind, clause.start + match.start(), clause.start + match.end(), word)


def _change_terms(statement: Statement, rng: np.random.Generator) -> Iterator[Change]:
    """Changes on the trees of mathematical pieces, in what is supposed, asked and concluded."""
    names = list_declared(split_pieces(statement.text), statement.text)
    read = [
        (clause, piece, _read_terms(statement.text, piece))
        for clause in statement.list_clauses("hypothesis", "question", "conclusion")
        for piece in split_pieces(statement.text[: clause.end])
        if piece.start >= clause.start
    ]
    bounded = list_bounded(term for clause, _, terms in read if clause.role == "hypothesis" for term in terms)
    for clause, piece, terms in read:
        if piece.kind == "number" and piece.text.isdecimal():
            for value in draw_numbers(int(piece.text), rng, 1):
                yield Change("number", piece.start, piece.end, str(value))
        # Of names alone nothing is said but that they are there.
        listed = clause.role != "question" and all(term.head == "var" for term in terms)
        for term in terms:
            taken = bounded - find_free(term) if clause.role == "hypothesis" else frozenset()
            free = () if listed else [name for name in names if name not in taken]
            if term.start >= 0:
                yield from list_changes(term, statement.text, LATEX_SIGNS, rng, free)


def _read_terms(text: str, piece: Piece) -> tuple[Term, ...]:
    """What a piece of mathematics says; nothing where it is none or cannot be read."""
    if piece.kind != "math":
        return ()
    try:
        return tuple(read_statements(text, *piece.inner, functions=frozenset("fgh")))
    except LatexError:
        return ()
