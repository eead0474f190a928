"""Variants of a statement, made by rules on its text that know nothing of how the product reads one.

Each is true where the statement is (said otherwise, or following from it), or false of it (its claim denied).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

_CLAIM = re.compile(
    r"(?P<before>^|.*?[.,?] ?)(?P<verb>[Ss]how|[Pp]rove) that (?P<said>[^.]*(?:\.\d[^.]*)*)\.$", re.DOTALL
)
_RELATION = re.compile(r"(?<=\$)(?P<left>[^$,=<>]+?) ?(?P<sign>\\leq|\\geq|\\neq|=|<|>) ?(?P<right>[^$,=<>]+?)(?=\$)")
_MIRRORED = {"\\leq": "\\geq", "\\geq": "\\leq", "<": ">", ">": "<", "=": "=", "\\neq": "\\neq"}
_WEAKER = {">": "\\geq", "<": "\\leq", "=": "\\leq"}
_DENIED = {">": "\\leq", "<": "\\geq", "=": "\\neq", "\\geq": "<", "\\leq": ">", "\\neq": "="}
_LETTERS = "abcdkmnpqrstuvwxyz"


def list_variants(text: str, seed: int) -> Iterator[tuple[str, bool]]:
    """Texts with whether each is true where the statement is; none that is the statement itself."""
    found = dict(_list(text, np.random.default_rng(seed)))
    found.pop(text, None)
    yield from found.items()


def _list(text: str, rng: np.random.Generator) -> Iterator[tuple[str, bool]]:
    match = _CLAIM.match(text)
    yield re.sub(r"\b([Ss])how that", lambda m: "Prove that" if m[1] == "S" else "prove that", text), True
    yield _rename(text, rng), True
    yield _swap_givens(text), True
    yield _turn(text, 0), True
    yield _turn(text, -1), True
    yield re.sub(r"^Let (.*?) be (an? |)", lambda m: _suppose(m[1], m[2]), text), True
    if match is None:
        yield from _list_answers(text)
        return
    before, said = match["before"], match["said"]
    verb = match["verb"].capitalize()
    if given := re.fullmatch(r"if (.*?),? then (.*)", said):
        yield f"{before}{match['verb']} that {given[2]} if {given[1]}.", True
        yield f"{before}{match['verb']} that {given[2]} whenever {given[1]}.", True
        yield f"{before}Suppose that {given[1]}. {verb} that {given[2]}.", True
    elif given := re.fullmatch(r"(.*?)Suppose that ([^.]*)\. ", before):
        yield f"{given[1]}{verb} that if {given[2]}, then {said}.", True
        yield f"{given[1]}{verb} that {said} if {given[2]}.", True
    for old, new in ((" such that ", " with "), (" such that ", " satisfying "), ("real numbers", "reals")):
        yield text.replace(old, new), True
    yield from _list_claims(text, said)
    names = re.findall(r"\$([a-z])\$", before)
    if names and before.endswith(". "):
        yield f"{before}Suppose that ${names[0]} > {int(rng.integers(20, 90))}$. {verb} that {said}.", True


def _list_claims(text: str, said: str) -> Iterator[tuple[str, bool]]:
    """What follows from the claim, and what denies it, where it is one relation at its end."""
    last = re.search(r"(?:^|then |, |that )(\$[^$]+\$)$", said)
    if re.search(r"\b(?:some|exists?|there|no|only|if|or|either|not|unique)\b", said.rpartition("then ")[2]):
        return
    if last is not None and (relation := _RELATION.search(last[1])) and relation[0] == last[1].strip("$"):
        left, sign, right = relation["left"], relation["sign"], relation["right"]
        if re.search(r"\\(?:mid|equiv|in\b|to\b|pmod|iff|Right)|\|", left + right):
            return
        head = text[: text.rindex(last[1])]
        if sign in _WEAKER:
            yield f"{head}${left} {_WEAKER[sign]} {right}$.", True
        if sign in (">", "\\geq"):
            yield f"{head}${left} + 1 > {right}$.", True
        if sign in ("<", "\\leq"):
            yield f"{head}${left} < {right} + 1$.", True
        if sign == "=":
            yield f"{head}${left} - ({right}) = 0$.", True
            yield f"{head}${left} = {right} + 1$.", False
        yield f"{head}${left} {_DENIED[sign]} {right}$.", False
    for word, other in (("even", "odd"), ("odd", "even")):
        if said.endswith(f" is {word}"):
            yield text[: -len(word) - 1] + other + ".", False
            yield text[: -len(word) - 1] + f"not {other}.", True
    if found := re.search(r"(\$\d+\$) divides (\$[^$]+\$)$", said):
        yield text.replace(found[0], f"{found[2]} is divisible by {found[1]}"), True
        yield text.replace(found[0], f"{found[1]} does not divide {found[2]}"), False


def _list_answers(text: str) -> Iterator[tuple[str, bool]]:
    """Another number where a question's answer is one."""
    if found := re.search(r"(?<=it is )\d+(?=\.?$)", text):
        yield text[: found.start()] + str(int(found[0]) + 3) + text[found.end() :], False
        yield text[: found.start()] + f"\\frac{{{2 * int(found[0])}}}{{2}}" + text[found.end() :], True
    if found := re.search(r"\bWhat is (?=the |\$)([^?]*)\?", text):
        yield f"{text[: found.start()]}Find {found[1]}.{text[found.end() :]}", True


def _rename(text: str, rng: np.random.Generator) -> str:
    """Letters that stand alone in mathematics under others that the text does not use."""
    names = [each for each in dict.fromkeys(re.findall(r"\$([a-z])\$", text)) if each not in "ei"]
    free = [each for each in _LETTERS if not re.search(rf"(?<![A-Za-z\\]){each}(?![A-Za-z])", text)]
    if not names or len(free) < len(names) or re.search(r"\\(?:int|text|math|sum|frac{d)|_", text):
        return text
    new = dict(zip(names, rng.permutation(free)[: len(names)], strict=True))
    parts = re.split(r"(\$[^$]*\$)", text)
    return "".join(
        re.sub(r"\\[A-Za-z]+|[a-z]", lambda m: new.get(m[0], m[0]), part) if part.startswith("$") else part
        for part in parts
    )


def _swap_givens(text: str) -> str:
    return re.sub(r"such that (\$[^$]+\$) and (\$[^$]+\$)(?=[.,])", r"such that \2 and \1", text, count=1)


def _turn(text: str, which: int) -> str:
    """One of the relations the other way round."""
    found = [each for each in _RELATION.finditer(text) if not re.search(r"\\(?:mid|equiv|in\b)|\|", each[0])]
    if not found:
        return text
    one = found[which]
    return text[: one.start()] + _mirror(one) + text[one.end() :]


def _mirror(relation: re.Match[str]) -> str:
    return f"{relation['right']} {_MIRRORED[relation['sign']]} {relation['left']}"


def _suppose(names: str, article: str) -> str:
    return f"Suppose that {names} {'is' if article else 'are'} {article}"
