"""Terms of Lean 4 by precedence climbing: the part of its grammar that statements are written in.

What a name means is read where the algebra knows it (``Real.sqrt``, ``Nat.gcd``, ``Even``); any other application is
kept as one, by its name. Notation that is not known is an error with its place, never a guess.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from counterfoil.storage.plain import read_toml
from counterfoil.tasks.theorem.algebra.tokens import Cursor, Token
from counterfoil.tasks.theorem.algebra.tree import HOLE, RELATIONS, Term
from counterfoil.tasks.theorem.lean.tokens import split_tokens


class LeanError(Exception):
    """The source cannot be read. The message says what and where."""


_NOTATION = read_toml(Path(__file__).with_name("notation.toml"))
_BINARY: dict[str, tuple[int, int, str]] = {
    sign: (row["left"], row["right"], row["head"]) for row in _NOTATION["binary"] for sign in row["signs"]
}
"""Sign to the precedence that it needs on its left, that on its right, and its head."""
_CLOSERS = {"(": ")", "[": "]", "{": "}", "⦃": "⦄", "⟨": "⟩", "⌊": "⌋", "⌈": "⌉", "‖": "‖", "|": "|"}
_QUANTIFIERS = {"∀": "forall", "∀ᵉ": "forall", "∃": "exists", "∃!": "exists_unique"}
_UNARY: dict[str, str] = _NOTATION["unary"]
_DOUBLE: dict[str, str] = _NOTATION["double"]
_FIELDS = {"Prime": "prime", "factorial": "factorial", "re": "re", "im": "im"}
_FIELDS_OF_TWO = {"gcd": "gcd", "lcm": "lcm", "Coprime": "coprime", "choose": "choose"}
_STOPPERS = frozenset(
    {")", "]", "}", "⟩", "⦄", "⌋", "⌉", ",", ":=", ":", "=>", "from", "by", "in", "then", "else", "with"}
)


def read_term(source: str) -> Term:
    """The term that ``source`` is.

    Raises:
        LeanError: it is none that is understood.
    """
    reader = Reader(split_tokens(source), source)
    term = reader.read()
    reader.expect_end()
    return term


class Reader(Cursor):
    """Reads terms from tokens."""

    def __init__(self, tokens: Sequence[Token], source: str) -> None:
        super().__init__(tokens, len(source))
        self.source = source

    def fail(self, what: str) -> LeanError:
        shown = self.source[self.place : self.place + 20].split("\n")[0]
        return LeanError(f"{what} at character {self.place}, before {shown!r}")

    def read(self, least: int = 0) -> Term:
        """A term whose outermost operator binds as strongly as ``least``."""
        start = self.place
        left = self._read_prefix()
        while True:
            sign = self.text
            if sign == "≡":
                if least > 50:
                    break
                left = self._read_congruence(left, start)
                continue
            if sign not in _BINARY or _BINARY[sign][0] < least or (sign == "|" and self._bars):
                break
            needed, right_least, head = _BINARY[sign]
            self.at += 1
            right = self.read(right_least)
            right = _read_range(right) if head in ("in", "notin") else right
            left = Term(head, (left, right), sign if head == "op" else "", start, self.last_end)
            if head in RELATIONS and self.text in ("≤", "<", "≥", ">", "=") and needed == 50:
                raise self.fail("a chained relation")
        return left

    def _read_congruence(self, left: Term, start: int) -> Term:
        self.take("≡")
        right = self.read(51)
        self.take("[")
        kind = self.text
        if kind not in ("MOD", "ZMOD", "PMOD", "SMOD"):
            raise self.fail("expected MOD")
        self.at += 1
        modulus = self.read()
        self.take("]")
        return Term("cong", (left, right, modulus), kind, start, self.last_end)

    def _read_prefix(self) -> Term:
        start, sign = self.place, self.text
        if sign in _QUANTIFIERS:
            return self._read_quantifier(start)
        if sign in ("fun", "λ"):
            return self._read_lambda(start)
        if sign in ("∑", "∏", "∑'", "⋂", "⋃", "⋂₀", "⋃₀", "Π", "⨆", "⨅", "∫"):
            return self._read_big(start)
        if sign == "¬":
            self.at += 1
            return Term("not", (self.read(40),), "", start, self.last_end)
        if sign == "-":
            self.at += 1
            return Term("neg", (self.read(75),), "", start, self.last_end)
        if sign == "√":
            self.at += 1
            return Term("sqrt", (self.read(90),), "", start, self.last_end)
        return self._read_application()

    def _read_quantifier(self, start: int) -> Term:
        head = _QUANTIFIERS[self.text]
        self.at += 1
        groups: list[tuple[list[str], Term, Term | None]] = []
        while self.text != ",":
            groups.append(self._read_bound())
        self.take(",")
        body = self.read()
        for names, domain, bound in reversed(groups):
            for name in reversed(names):
                if bound is not None:
                    body = Term("imp" if head == "forall" else "and", (bound, body), "", body.start, body.end)
                body = Term(head, (domain, body), name, start, self.last_end)
        return body

    def _read_bound(self) -> tuple[list[str], Term, Term | None]:
        """Names, their domain, what bounds them: ``(x y : T)``, ``x y : T``, ``[C x]``, ``x``, ``x > 0``, ``x ∈ s``."""
        opened = self.text if self.text in ("(", "{", "[", "⦃") else ""
        if opened:
            self.at += 1
        if opened == "[" and self.tokens[self.at + 1 : self.at + 2] and self.tokens[self.at + 1].text != ":":
            domain = self.read()
            self.take("]")
            return [""], domain, None
        names = []
        while self.at < len(self.tokens) and self.text != "in" and self.tokens[self.at].kind == "name":
            names.append(self.text)
            self.at += 1
        if not names:
            raise self.fail("expected a bound variable")
        domain, bound = HOLE, None
        if self.text == ":":
            self.at += 1
            domain = self.read()
        elif self.text in ("∈", ">", "<", "≥", "≤", "≠", "⊆", "∉"):
            sign, place = self.text, self.place
            self.at += 1
            right = self.read(51)
            variable = Term("var", name=names[-1])
            head = _BINARY[sign][2]
            bound = Term(head, (variable, right), sign if head == "op" else "", place, self.last_end)
        if opened:
            self.take(_CLOSERS[opened])
        return names, domain, bound

    def _read_lambda(self, start: int) -> Term:
        self.at += 1
        names: list[tuple[str, Term]] = []
        while self.text not in ("=>", "↦", ","):
            bound = self._read_bound()
            names += [(name, bound[1]) for name in bound[0]]
        self.at += 1
        body = self.read()
        for name, domain in reversed(names):
            body = Term("lambda", (domain, body), name, start, self.last_end)
        return body

    def _read_big(self, start: int) -> Term:
        """``∑ k in Finset.range n, f``; other large operators are kept by their sign."""
        sign = self.text
        self.at += 1
        if sign in ("⋂₀", "⋃₀"):
            return Term("app", (self.read(90),), sign, start, self.last_end)
        names, domain, bound = self._read_bound()
        if self.text in ("in", "∈"):
            self.at += 1
            domain = self.read()
        elif bound is not None:
            domain = bound.args[1]
        self.take(",")
        body = self.read(67 if sign in ("∑", "∏") else 0)
        if sign in ("∑", "∏") and len(names) == 1:
            return Term("sum" if sign == "∑" else "prod", (_read_range(domain), body), names[0], start, self.last_end)
        return Term("lambda", (domain, body), names[0] if names else "", start, self.last_end)

    def _read_application(self) -> Term:
        start = self.place
        function = self._read_postfix()
        arguments: list[Term] = []
        while self._starts_argument():
            arguments.append(self._read_postfix())
        if self.text in ("<|", "$"):
            self.at += 1
            arguments.append(self.read())
        term = _apply(function, arguments, start, self.last_end) if arguments else function
        if self.text in ("fun", "λ") and arguments:
            term = _apply(function, [*arguments, self._read_lambda(self.place)], start, self.last_end)
        elif self.text in ("fun", "λ") and function.head == "var":
            term = _apply(function, [self._read_lambda(self.place)], start, self.last_end)
        return term

    def _starts_argument(self) -> bool:
        if self.at >= len(self.tokens):
            return False
        token = self.tokens[self.at]
        if token.text in _STOPPERS or token.text in _BINARY or token.text == "≡":
            return False
        if token.text == "[" and self.tokens[self.at + 1 : self.at + 2]:
            return self.tokens[self.at + 1].text not in ("MOD", "ZMOD", "PMOD", "SMOD")
        if token.text in ("|", "‖"):
            return not self._bars
        return token.kind in ("name", "number") or token.text in (
            "(",
            "{",
            "⟨",
            "⌊",
            "⌈",
            "↑",
            "⊤",
            "⊥",
            "∅",
            "[",
            "_",
            "π",
        )

    def _read_postfix(self) -> Term:
        start = self.place
        term = self._read_atom()
        while True:
            if self.text == "!" and self.last_end <= self.place:
                self.at += 1
                term = Term("factorial", (term,), "", start, self.last_end)
            elif self.text == "⁻¹":
                self.at += 1
                term = Term("inv", (term,), "", start, self.last_end)
            elif self.text == "." and self.at + 1 < len(self.tokens) and self._touches():
                self.at += 1
                field = self.text
                self.at += 1
                term = _take_field(term, field, start, self.last_end)
            else:
                return term

    def _touches(self) -> bool:
        """Whether a full stop stands directly after what was read: a field of it."""
        return self.tokens[self.at].start == self.last_end

    def _read_atom(self) -> Term:
        if self.at >= len(self.tokens):
            raise self.fail("the source ends too soon")
        token = self.tokens[self.at]
        if token.text == "(":
            return self._read_bracketed()
        if token.text in ("⌊", "⌈", "‖", "|"):
            return self._read_fenced(token)
        if token.text == "{":
            return self._read_set()
        if token.text in ("⟨", "["):
            return self._read_list(token)
        self.at += 1
        if token.text == "↑":
            inner = self._read_postfix()
            return Term("coe", (inner,), "", token.start, self.last_end)
        if token.kind == "number":
            return Term("num", name=token.text, start=token.start, end=token.end)
        if token.kind == "name":
            return _read_name(token)
        if token.text in ("⊤", "⊥", "∅", "_", "∞", "·"):
            return Term("app", (), token.text, token.start, token.end)
        self.at -= 1
        raise self.fail("notation that is not known")

    def _read_bracketed(self) -> Term:
        """``(e)``, ``(e : T)`` or a tuple."""
        start = self.place
        self.take("(")
        bars, self._bars = self._bars, 0
        if self.text == ")":
            self.take(")")
            return Term("app", (), "()", start, self.last_end)
        term = self.read()
        if self.text == ":":
            self.at += 1
            domain = self.read()
            name = domain.name if domain.head == "var" else self.source[domain.start : domain.end]
            term = Term("ascribe", (term,), name, start, start)
        parts = [term]
        while self.text == ",":
            self.at += 1
            parts.append(self.read())
        self.take(")")
        self._bars = bars
        if len(parts) > 1:
            return Term("tuple", tuple(parts), "", start, self.last_end)
        return replace(term, start=start, end=self.last_end)

    def _read_fenced(self, token: Token) -> Term:
        head = {"⌊": "floor", "⌈": "ceil", "|": "abs", "‖": "norm"}[token.text]
        self.at += 1
        self._bars += 1
        inner = self.read()
        self.take(_CLOSERS[token.text])
        self._bars -= 1
        return Term(head, (inner,), "", token.start, self.last_end)

    def _read_set(self) -> Term:
        start = self.place
        self.take("{")
        if self.text == "}":
            self.take("}")
            return Term("app", (), "{}", start, self.last_end)
        mark = self.at
        bound = self._try_bound()
        if bound is not None and self.text == "|":
            self.take("|")
            body = self.read()
            self.take("}")
            names, domain, limit = bound
            if len(names) == 1:
                body = body if limit is None else Term("and", (limit, body), "", body.start, body.end)
                return Term("setof", (domain, body), names[0], start, self.last_end)
        self.at = mark
        parts = [self.read()]
        while self.text == ",":
            self.at += 1
            parts.append(self.read())
        if self.text == "|":
            self.at += 1
            parts.append(self.read())
        self.take("}")
        return Term("app", tuple(parts), "{}", start, self.last_end)

    def _try_bound(self) -> tuple[list[str], Term, Term | None] | None:
        # Within a set's binder a bar ends it, and begins no absolute value.
        self._bars += 1
        try:
            return self._read_bound()
        except LeanError:
            return None
        finally:
            self._bars -= 1

    def _read_list(self, token: Token) -> Term:
        closer = _CLOSERS[token.text]
        self.at += 1
        parts: list[Term] = []
        while self.text != closer:
            parts.append(self.read())
            if self.text == ",":
                self.at += 1
        self.take(closer)
        return Term("tuple", tuple(parts), token.text, token.start, self.last_end)


def _read_name(token: Token) -> Term:
    """A name; ``p.Prime`` of a variable is the field Prime of p."""
    name = token.text
    if name in ("Real.pi", "π"):
        return Term("pi", (), "", token.start, token.end)
    if name == "Complex.I":
        return Term("imaginary", (), "", token.start, token.end)
    base, _, field = name.rpartition(".")
    if base and field == "card" and base not in _NAMESPACES:
        inner = Term("var", name=base, start=token.start, end=token.start + len(base))
        return Term("card", (inner,), "", token.start, token.end)
    if base and field in _FIELDS and not base[0].isupper():
        inner = Term("var", name=base, start=token.start, end=token.start + len(base))
        return Term(_FIELDS[field], (inner,), "nat" if field == "Prime" else "", token.start, token.end)
    return Term("var", name=name, start=token.start, end=token.end)


def _take_field(term: Term, field: str, start: int, end: int) -> Term:
    if field in _FIELDS:
        return Term(_FIELDS[field], (term,), "nat" if field == "Prime" else "", start, end)
    if field == "card":
        return Term("card", (_read_range(term),), "", start, end)
    return Term("app", (term,), "." + field, start, end)


def _apply(function: Term, arguments: list[Term], start: int, end: int) -> Term:
    name = function.name if function.head in ("var", "app") and not function.args else ""
    bare = name.lstrip("@")
    if bare in _UNARY and len(arguments) == 1:
        return Term(_UNARY[bare], tuple(arguments), "nat" if bare == "Nat.Prime" else "", start, end)
    if bare in _DOUBLE and len(arguments) == 2:
        return Term(_DOUBLE[bare], tuple(arguments), "bezout" if bare == "IsCoprime" else "", start, end)
    base, _, field = bare.rpartition(".")
    if base and not base[0].isupper() and field in _FIELDS_OF_TWO and len(arguments) == 1:
        inner = Term("var", name=base, start=function.start, end=function.start + len(base))
        return Term(_FIELDS_OF_TWO[field], (inner, arguments[0]), "", start, end)
    if bare == "Finset.card" and len(arguments) == 1:
        return Term("card", (_read_range(arguments[0]),), "", start, end)
    if name:
        return Term("app", tuple(arguments), name, start, end)
    return Term("app", (function, *arguments), "", start, end)


def _read_range(domain: Term) -> Term:
    """``Finset.range n``, ``Finset.Icc a b``, ``Nat.divisors n`` and what a test keeps of such a set; other domains
    stay what they are."""
    if domain.head != "app":
        return domain
    head = _SETS.get(domain.name, "")
    args = domain.args
    if head == "filter" and len(args) == 2 and args[0].head == "lambda":
        return Term(head, (args[0], _read_range(args[1])), "", domain.start, domain.end)
    if head in ("range", "divisors") and len(args) == 1:
        return Term(head, args, "", domain.start, domain.end)
    if head == "interval" and len(args) == 2:
        return Term(head, args, "", domain.start, domain.end)
    return domain


_NAMESPACES = frozenset({"Finset", "Fintype", "Nat", "Set", "Multiset"})
_SETS = {
    "Finset.range": "range",
    "Finset.Icc": "interval",
    "Set.Icc": "interval",
    "Nat.divisors": "divisors",
    "Finset.filter": "filter",
}
