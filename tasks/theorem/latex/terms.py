"""Terms of LaTeX mathematics, with their places: the part of it that statements about numbers are written in.

``2ab``, ``\\frac{a}{b}``, ``a^{n+1}``, ``\\sqrt{x}``, ``|x|``, ``\\lfloor x \\rfloor``, ``n!``, ``f(x)`` of a
function that is declared, ``\\log_2 x``, chains ``0 < x < y`` (a conjunction), ``a \\mid b``, ``a \\equiv b
\\pmod{n}``, and lists ``a, b > 0`` (of each). Anything else is an error, never a guess.
"""

from __future__ import annotations

import re
from dataclasses import replace

from counterfoil.tasks.theorem.algebra.tokens import Cursor, Token
from counterfoil.tasks.theorem.algebra.tree import Term

_TOKEN = re.compile(
    r"(?P<space>\s+|\\[,;:!>]|\\ |~|\\q?quad\b|\\displaystyle\b|\\left\b|\\right\b|\\[bB]ig[lgr]?\b|\{\}|_\{\}|&)"
    r"|(?P<number>\d+(?:\{?,\\?!?\}?\d{3})*(?:\.\d+)?)|(?P<command>\\(?:[A-Za-z]+|\\|[{}|]))|(?P<letter>[A-Za-z])"
    r"|(?P<sign>\S)"
)
_RELATIONS = {
    "=": "eq",
    "\\neq": "ne",
    "\\ne": "ne",
    "<": "lt",
    "\\lt": "lt",
    ">": "gt",
    "\\gt": "gt",
    "\\leq": "le",
    "\\le": "le",
    "\\leqslant": "le",
    "\\geq": "ge",
    "\\ge": "ge",
    "\\geqslant": "ge",
    "\\mid": "dvd",
    "\\nmid": "ndvd",
    "\\equiv": "cong",
}
_LETTERS = "alpha beta gamma delta epsilon varepsilon zeta eta theta lambda mu nu xi rho sigma tau phi varphi psi omega"
_GREEK = frozenset(f"\\{name}" for name in _LETTERS.split())
_NAMED = {"\\sin": "sin", "\\cos": "cos", "\\tan": "tan", "\\exp": "exp", "\\ln": "log"}
_DOTS = frozenset({"\\ldots", "\\cdots", "\\dots", "\\vdots"})


class LatexError(Exception):
    """The mathematics cannot be read. The message says what and where."""


def split_tokens(source: str, start: int = 0, end: int | None = None) -> list[Token]:
    """The tokens of ``source[start:end]`` with their places in ``source``, without blanks.

    >>> [token.text for token in split_tokens(r"2x^{10} \\leq 1{,}000")]
    ['2', 'x', '^', '{', '10', '}', '\\\\leq', '1{,}000']
    """
    return [
        Token(str(match.lastgroup), match.group(), match.start(), match.end())
        for match in _TOKEN.finditer(source, start, len(source) if end is None else end)
        if match.lastgroup != "space"
    ]


def read_statements(source: str, start: int, end: int, functions: frozenset[str] = frozenset()) -> list[Term]:
    """The statements or terms of a mathematical piece, separated by commas.

    Raises:
        LatexError: it is not understood.
    """
    reader = _Reader(split_tokens(source, start, end), functions)
    while reader.tokens and reader.tokens[-1].text in (".", ",", ";"):
        reader.tokens.pop()
    found = reader.read_list()
    reader.expect_end()
    return found


class _Reader(Cursor):
    def __init__(self, tokens: list[Token], functions: frozenset[str]) -> None:
        super().__init__(tokens, tokens[-1].end if tokens else 0)
        self.functions = functions

    def fail(self, what: str) -> LatexError:
        return LatexError(f"{what} before {self.text or 'the end'!r}")

    def read_list(self) -> list[Term]:
        """``a, b > 0`` says it of each; ``x = 1, y = 2`` are two statements."""
        parts = [self.read_relation()]
        while self.text in (",", ";", "\\\\", "\\land", "\\wedge"):
            self.at += 1
            if self.at == len(self.tokens):
                break
            parts.append(self.read_relation())
        last = parts[-1]
        loose = [each for each in parts[:-1] if not each.is_statement()]
        if last.is_statement() and loose and last.head in ("lt", "le", "gt", "ge", "ne", "in"):
            return [
                each if each.is_statement() else replace(last, args=(each, *last.args[1:]), start=-1, end=-1)
                for each in parts
            ]
        return parts

    def read_relation(self) -> Term:
        """A term, a relation, or a chain of them as a conjunction."""
        start = self.place
        left = self.read_sum()
        links: list[Term] = []
        while self.text in _RELATIONS or (self.text == "|" and not self._bars) or self.text == "\\in":
            sign = self.text
            self.at += 1
            head = "dvd" if sign == "|" else "in" if sign == "\\in" else _RELATIONS[sign]
            right = self._read_set() if head == "in" else self.read_sum()
            args: tuple[Term, ...] = (left, right)
            if head == "cong":
                args = (left, right, self._read_modulus())
            links.append(Term(head, args, "", left.start, self.last_end))
            left = right
        if not links:
            return left
        return links[0] if len(links) == 1 else Term("and", tuple(links), "", start, self.last_end)

    def _read_set(self) -> Term:
        """``\\mathbb{Z}``, ``\\mathbf R``: a set by its letter."""
        token = self.tokens[self.at] if self.at < len(self.tokens) else None
        if token is None or token.text not in ("\\mathbb", "\\mathbf", "\\Bbb"):
            raise self.fail("a set that is not known")
        self.at += 1
        braced = self.text == "{"
        self.at += braced
        name = self.text
        self.at += 1
        if braced:
            self.take("}")
        if self.text in ("^", "_"):
            raise self.fail("a set that is not known")
        return Term("var", name=f"set {name}", start=token.start, end=self.last_end)

    def _read_modulus(self) -> Term:
        """``\\pmod{n}``, ``\\mod n``, ``(\\bmod n)``."""
        opened = self.text == "("
        self.at += opened
        if self.text not in ("\\pmod", "\\mod", "\\bmod"):
            raise self.fail("a congruence without its modulus")
        self.at += 1
        modulus = self._read_group() if self.text == "{" else self.read_product()
        if opened:
            self.take(")")
        return modulus

    def read_sum(self) -> Term:
        start = self.place
        sign = self.text if self.text in ("+", "-") else ""
        self.at += bool(sign)
        left = self.read_product()
        if sign == "-":
            left = Term("neg", (left,), "", start, self.last_end)
        while self.text in ("+", "-"):
            head = "add" if self.text == "+" else "sub"
            self.at += 1
            left = Term(head, (left, self.read_product()), "", start, self.last_end)
        return left

    def read_product(self) -> Term:
        start = self.place
        left = self.read_power()
        while True:
            if self.text in ("\\cdot", "\\times", "*"):
                self.at += 1
                left = Term("mul", (left, self.read_power()), "", start, self.last_end)
            elif self.text in ("/", "\\div"):
                self.at += 1
                left = Term("div", (left, self.read_power()), "", start, self.last_end)
                if self._starts_factor():
                    raise self.fail("a quotient whose end is not told: 1/2x")
            elif self._starts_factor():
                right = self.read_power()
                if left.head == "num" and right.name == "frac" and all(each.head == "num" for each in right.args):
                    raise self.fail("a mixed number, or a product")
                left = Term("mul", (left, right), "", start, self.last_end)
            else:
                return left

    def _starts_factor(self) -> bool:
        if self.at >= len(self.tokens):
            return False
        token = self.tokens[self.at]
        if token.kind == "letter":
            return True
        if token.kind == "number":
            return self.tokens[self.at - 1].kind != "number"
        if token.kind == "command":
            known = (
                "\\frac",
                "\\dfrac",
                "\\tfrac",
                "\\sqrt",
                "\\lfloor",
                "\\lceil",
                "\\pi",
                "\\log",
                "\\gcd",
                "\\sum",
                "\\prod",
            )
            return token.text in known or token.text in _GREEK or token.text in _NAMED
        return token.text in ("(", "[", "{") or (token.text == "|" and not self._bars)

    def read_power(self) -> Term:
        start = self.place
        base = self.read_atom()
        while True:
            if self.text == "^":
                self.at += 1
                exponent = self._read_group() if self.text == "{" else self._read_short()
                base = Term("pow", (base, exponent), "", start, self.last_end)
            elif self.text == "!":
                self.at += 1
                base = Term("factorial", (base,), "", start, self.last_end)
            else:
                return base

    def _read_short(self) -> Term:
        """``x^2``: one digit or letter; ``x^12`` is x² times 2, and nobody means it."""
        token = self.tokens[self.at] if self.at < len(self.tokens) else None
        if token is None or token.kind == "sign" or (token.kind == "number" and len(token.text) > 1):
            raise self.fail("an exponent without braces")
        return self.read_atom()

    def _read_group(self) -> Term:
        start = self.place
        self.take("{")
        inner = self.read_sum()
        self.take("}")
        return replace(inner, start=start, end=self.last_end)

    def read_atom(self) -> Term:
        if self.at >= len(self.tokens):
            raise self.fail("a term is missing")
        token = self.tokens[self.at]
        if token.kind == "number":
            self.at += 1
            digits = re.sub(r"[^\d.]", "", token.text)
            return Term("num", name=digits, start=token.start, end=token.end)
        if token.kind == "letter" or token.text in _GREEK:
            return self._read_letter()
        if token.text in ("\\frac", "\\dfrac", "\\tfrac"):
            self.at += 1
            top, bottom = self._read_argument(), self._read_argument()
            return Term("div", (top, bottom), "frac", token.start, self.last_end)
        if token.text == "\\sqrt":
            self.at += 1
            if self.text == "[":
                raise self.fail("a root of higher degree")
            return Term("sqrt", (self._read_argument(),), "", token.start, self.last_end)
        if token.text in ("(", "[", "{"):
            return self._read_bracketed(token)
        if token.text in ("|", "\\lfloor", "\\lceil"):
            return self._read_fenced(token)
        if token.text in _NAMED:
            self.at += 1
            if self.text == "^":
                raise self.fail("a power of a function")
            return Term(_NAMED[token.text], (self._read_bare_argument(),), "", token.start, self.last_end)
        if token.text == "\\log":
            return self._read_logarithm(token)
        if token.text in ("\\sum", "\\prod"):
            return self._read_big(token)
        if token.text == "\\gcd":
            self.at += 1
            self.take("(")
            first = self.read_sum()
            self.take(",")
            second = self.read_sum()
            self.take(")")
            return Term("gcd", (first, second), "", token.start, self.last_end)
        if token.text == "\\pi":
            self.at += 1
            return Term("pi", (), "", token.start, token.end)
        raise self.fail("dots" if token.text in _DOTS else "notation that is not known")

    def _read_bare_argument(self) -> Term:
        """``\\sin x``; where ``\\sin 2x`` ends cannot be told."""
        bracketed = self.text in ("(", "[", "{")
        argument = self.read_power()
        if not bracketed and self._starts_factor() and self.tokens[self.at].kind != "command":
            raise self.fail("an argument without brackets")
        return argument

    def _read_argument(self) -> Term:
        """``{...}``, or one digit or letter: ``\\frac12``."""
        if self.text == "{":
            return self._read_group()
        token = self.tokens[self.at] if self.at < len(self.tokens) else None
        if token is not None and token.kind == "number" and len(token.text) > 1:
            first = replace(token, text=token.text[0], end=token.start + 1)
            rest = replace(token, text=token.text[1:], start=token.start + 1)
            self.tokens[self.at : self.at + 1] = [first, rest]
        return self.read_atom()

    def _read_letter(self) -> Term:
        token = self.tokens[self.at]
        self.at += 1
        name, end = token.text, token.end
        if self.text == "_":
            self.at += 1
            if self.text == "{":
                mark = self.at
                while self.text not in ("}", ""):
                    self.at += 1
                inner = "".join(each.text for each in self.tokens[mark + 1 : self.at])
                self.take("}")
            else:
                inner = self.text
                self.at += 1
            if not inner.isalnum():
                raise self.fail("an index that is not a name")
            name, end = f"{name}_{inner}", self.last_end
        if self.text == "'":
            raise self.fail("a derivative")
        if name in self.functions:
            self.take("(")
            arguments = [self.read_sum()]
            while self.text == ",":
                self.at += 1
                arguments.append(self.read_sum())
            self.take(")")
            return Term("app", tuple(arguments), name, token.start, self.last_end)
        return Term("var", name=name, start=token.start, end=end)

    def _read_bracketed(self, token: Token) -> Term:
        closer = {"(": ")", "[": "]", "{": "}"}[token.text]
        self.at += 1
        bars, self._bars = self._bars, 0
        inner = self.read_sum()
        self.take(closer)
        self._bars = bars
        return replace(inner, start=token.start, end=self.last_end)

    def _read_fenced(self, token: Token) -> Term:
        head, closer = {"|": ("abs", "|"), "\\lfloor": ("floor", "\\rfloor"), "\\lceil": ("ceil", "\\rceil")}[
            token.text
        ]
        self.at += 1
        self._bars += token.text == "|"
        inner = self.read_sum()
        self.take(closer)
        self._bars -= token.text == "|"
        return Term(head, (inner,), "", token.start, self.last_end)

    def _read_logarithm(self, token: Token) -> Term:
        self.at += 1
        base: Term | None = None
        if self.text == "_":
            self.at += 1
            base = self._read_argument()
        if self.text == "^":
            raise self.fail("a power of a function")
        argument = self._read_bare_argument()
        if base is None:
            raise self.fail("a logarithm whose base is not said")
        return Term("logb", (base, argument), "", token.start, self.last_end)

    def _read_big(self, token: Token) -> Term:
        """``\\sum_{k=1}^{n} body``."""
        self.at += 1
        self.take("_")
        self.take("{")
        index = self.read_atom()
        self.take("=")
        first = self.read_sum()
        self.take("}")
        self.take("^")
        last = self._read_group() if self.text == "{" else self._read_short()
        body = self.read_product()
        interval = Term("interval", (first, last), "", first.start, last.end)
        head = "sum" if token.text == "\\sum" else "prod"
        return Term(head, (interval, body), index.name, token.start, self.last_end)


def is_balanced(text: str) -> bool:
    """Whether dollars, braces, \\left with \\right and environments of a text close.

    >>> is_balanced(r"$\\frac{a}{b}$ costs \\$5"), is_balanced("$a"), is_balanced(r"${a$}")
    (True, False, False)
    """
    bare = re.sub(r"\\[\\$%&#_]", "", text)
    depth, dollars = [0], 0
    for sign in re.sub(r"\\[{}]", "", bare):
        if sign == "$":
            dollars += 1
            depth = [*depth, 0] if dollars % 2 else depth
            if not dollars % 2 and depth.pop() != 0:
                return False
        depth[-1] += (sign == "{") - (sign == "}")
        if depth[-1] < 0:
            return False
    opened, closed = re.findall(r"\\begin\{(\w+\*?)\}", bare), re.findall(r"\\end\{(\w+\*?)\}", bare)
    even = len(re.findall(r"\\left(?![a-z])", bare)) == len(re.findall(r"\\right(?![a-z])", bare))
    return dollars % 2 == 0 and not any(depth) and sorted(opened) == sorted(closed) and even
