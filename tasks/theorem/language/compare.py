"""Whether two informal statements say the same: hypotheses and conclusions as sets, up to a renaming of variables.

Wordings that say the same are read as one: the verbs of a claim, ``for all`` and ``for every``, ``if ... then`` and
``Suppose ... Show``, ``a divides b`` and ``b is divisible by a``, ``a < b`` and ``b > a``. Everything else must be
equal word by word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, permutations, product

from counterfoil.tasks.theorem.language.grammar import Clause, Statement, read_statement
from counterfoil.tasks.theorem.language.pieces import Piece, split_pieces
from counterfoil.tasks.theorem.language.wordings import TABLES

LETTER = re.compile(r"\\[A-Za-z]+|[A-Za-z]|\d+|\S")
CONSTANT_CONTEXTS = frozenset(TABLES["constant_contexts"])
CONSTANTS = frozenset({"e", "i"})
_MIRROR = {">": "<", "\\gt": "<", "\\geq": "\\leq", "\\ge": "\\leq", "\\geqslant": "\\leq"}
_PLAIN = {
    "\\le": "\\leq",
    "\\leqslant": "\\leq",
    "\\ne": "\\neq",
    "\\lt": "<",
    "\\dfrac": "\\frac",
    "\\tfrac": "\\frac",
}
_WORDS = {"is": "be", "are": "be", "any": "every", "each": "every"}
_PHRASES = tuple(
    ([_WORDS.get(word, word) for word in one.split()], other.split()) for one, other in TABLES["compared"].items()
)
_MOST_ORDERS = 120

Token = str
"""A variable is written ``@x``."""


@dataclass(frozen=True)
class Reading:
    """The clauses of a statement as sequences of tokens in which wordings that say the same are one."""

    hypotheses: tuple[tuple[Token, ...], ...]
    claims: tuple[tuple[Token, ...], ...]
    """Conclusions, and the question with its answer."""

    @property
    def variables(self) -> tuple[str, ...]:
        """In order of appearance, each once."""
        flat = (token for clause in (*self.hypotheses, *self.claims) for token in clause)
        return tuple(dict.fromkeys(token[1:] for token in flat if _is_variable(token)))


def _is_variable(token: Token) -> bool:
    return len(token) > 1 and token[0] == "@"


@lru_cache(maxsize=8192)
def read_meaning(text: str) -> Reading:
    """The reading of an informal statement.

    Raises:
        GrammarError: it is not of the grammar.
    """
    return read_clauses(read_statement(text))


@lru_cache(maxsize=8192)
def read_clauses(statement: Statement) -> Reading:
    """The reading of a statement whose clauses are known."""
    hypotheses = [part for each in statement.list_clauses("hypothesis") for part in _read_hypothesis(statement, each)]
    claims = []
    for each in statement.list_clauses("question", "conclusion", "answer"):
        tokens = list_tokens(statement.text, each.start, each.end)
        if each.role == "question":
            tokens = _strip_question(tokens)
        claims.append((each.role, *tokens))
    return Reading(tuple(hypotheses), tuple(tuple(each) for each in claims))


def _read_hypothesis(statement: Statement, clause: Clause) -> Iterator[tuple[Token, ...]]:
    tokens = list_tokens(statement.text, clause.start, clause.end)
    if clause.lead == "for" and tokens[:1] and tokens[0] in ("all", "every"):
        tokens = tokens[1:]
    # "for all x in G, C" and "for x in G, C" suppose the same; what is named is not told apart from what is supposed.
    yield ("for" if clause.lead == "for" else "suppose", *tokens)


def _strip_question(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """``what is X``, ``find X`` and ``find the value of X`` ask the same."""
    for lead in (("what", "be"), ("find",), ("determine",), ("compute",), ("calculate",), ("evaluate",)):
        if tokens[: len(lead)] == lead:
            asked = tokens[len(lead) :]
            return asked[3:] if asked[:4] == ("the", "value", "of", "$") else asked
    return ("?", *tokens)


def list_tokens(text: str, start: int, end: int) -> tuple[Token, ...]:
    """The tokens of a part of a text."""
    pieces = [piece for piece in split_pieces(text[:end]) if piece.start >= start]
    groups: list[list[Token]] = []
    for piece in pieces:
        if piece.kind == "math":
            groups.append(["$", *_orient(list_math(text, *piece.inner)), "$"])
        else:
            groups.append([_read_word(piece)])
    return tuple(token for group in _settle(groups) for token in group)


def _read_word(piece: Piece) -> Token:
    word = piece.text
    if piece.kind == "word" and len(word) == 1 and word not in ("a", "A", "I"):
        return "@" + word
    return _WORDS.get(word.lower(), word.lower())


def list_math(text: str, start: int, end: int) -> list[Token]:
    """The tokens of a mathematical piece; letters that may be variables are marked."""
    found: list[Token] = []
    constant = 0
    previous = ""
    for match in LETTER.finditer(text, start, end):
        token = match.group()
        if previous in CONSTANT_CONTEXTS:
            constant = -1 if token == "{" else 0
            found.append(token)
            depth = 1
        elif constant:
            depth += (token == "{") - (token == "}")
            constant = -1 if depth else 0
            found.append(token)
        elif len(token) == 1 and token.isalpha() and token not in CONSTANTS:
            found.append("@" + token)
        else:
            found.append(_PLAIN.get(token, token))
        previous = token
    while found and found[-1] in (".", ",", ";"):
        found.pop()
    return found


def _orient(tokens: list[Token]) -> list[Token]:
    """``b > a`` as ``a < b``, where it is the only relation of the piece."""
    depth, at = 0, []
    for i, token in enumerate(tokens):
        depth += (token in ("{", "(", "[")) - (token in ("}", ")", "]"))
        if not depth and (
            token in _MIRROR or token in ("<", "\\leq", "=", "\\neq", ",", "\\mid", "\\equiv", "|", "\\\\", "&")
        ):
            at.append(i)
    if len(at) == 1 and tokens[at[0]] in _MIRROR:
        i = at[0]
        return [*tokens[i + 1 :], _MIRROR[tokens[i]], *tokens[:i]]
    return tokens


def _settle(groups: list[list[Token]]) -> list[list[Token]]:
    """Phrases as one word each, and ``a divides b`` as ``b is divisible by a``."""
    found: list[list[Token]] = []
    at = 0
    while at < len(groups):
        for phrase, word in _PHRASES:
            size = len(phrase)
            if groups[at][0] == phrase[0] and [each[0] for each in groups[at : at + size]] == phrase:
                found.append(list(word))
                at += size
                break
        else:
            if groups[at] == ["divides"] and found and _is_operand(found[-1]) and at + 1 < len(groups):
                other = groups[at + 1]
                if _is_operand(other):
                    divisor = found.pop()
                    found += [other, ["be"], ["divisible"], ["by"], divisor]
                    at += 2
                    continue
            found.append(groups[at])
            at += 1
    return found


def _is_operand(group: list[Token]) -> bool:
    return group[0] == "$" or group[0].isdecimal() or _is_variable(group[0])


def find_renaming(first: Reading, second: Reading) -> dict[str, str] | None:
    """The renaming of variables under which the second says what the first does; None where there is none.

    It is one-to-one: two variables never become one.
    """
    if len(first.hypotheses) != len(second.hypotheses) or len(first.claims) != len(second.claims):
        return None
    left = sorted(first.hypotheses, key=_blank)
    for right in _list_orders(second.hypotheses):
        if [_blank(each) for each in left] != [_blank(each) for each in right]:
            return None
        found = _match([*left, *first.claims], [*right, *second.claims])
        if found is not None:
            return found
    return None


def _blank(clause: Sequence[Token]) -> tuple[Token, ...]:
    return tuple("@" if _is_variable(token) else token for token in clause)


def _list_orders(clauses: Sequence[tuple[Token, ...]]) -> Iterator[list[tuple[Token, ...]]]:
    """The clauses sorted, with those that are alike but for names in every order."""
    groups: dict[tuple[Token, ...], list[tuple[Token, ...]]] = {}
    for each in sorted(clauses, key=_blank):
        groups.setdefault(_blank(each), []).append(each)
    orders = product(*(permutations(group) for group in groups.values()))
    for order in islice(orders, _MOST_ORDERS):
        yield [clause for group in order for clause in group]


def _match(left: Sequence[Sequence[Token]], right: Sequence[Sequence[Token]]) -> dict[str, str] | None:
    there: dict[str, str] = {}
    back: dict[str, str] = {}
    for first, second in zip(left, right, strict=True):
        if len(first) != len(second):
            return None
        for a, b in zip(first, second, strict=True):
            if not (_is_variable(a) and _is_variable(b)):
                if a != b:
                    return None
            elif there.setdefault(a, b) != b or back.setdefault(b, a) != a:
                return None
    return {a[1:]: b[1:] for a, b in there.items()}


def is_same(first: Reading, second: Reading) -> bool:
    """Whether two statements say the same, up to the order of hypotheses and the names of variables."""
    return find_renaming(first, second) is not None
