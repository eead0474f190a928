"""Rewordings of a statement that say the same: other names, other connectives, another order of its parts."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from counterfoil.storage.rows import Edit
from counterfoil.tasks.theorem.language.compare import CONSTANT_CONTEXTS, LETTER
from counterfoil.tasks.theorem.language.grammar import Statement, read_statement
from counterfoil.tasks.theorem.language.pieces import Piece, split_pieces

_POOLS = ("abcd", "xyzwuv", "mnklj", "pqr", "fgh", "stuv", "GHKL", "XYWZ", "ABCD", "UVW", "STR", "MN", "IJ")


@dataclass(frozen=True)
class Rewording:
    """A text and how it came of the anchor's."""

    text: str
    edits: tuple[Edit, ...]


def reword(text: str, rng: np.random.Generator) -> Rewording:
    """The text after a random choice of the rewordings that apply, each with even odds; its edits name them.

    Raises:
        GrammarError: the text is not of the grammar.
    """
    read_statement(text)
    result = Rewording(text, ())
    steps: tuple[Callable[[str, np.random.Generator], tuple[str, Edit] | None], ...] = (
        _restructure,
        _move_condition,
        _move_declaration,
        _restructure_question,
        _change_verb,
        _change_question,
        _change_value,
        _change_quantifiers,
        _change_existence,
        _change_voice,
        _mirror_relation,
        _rename,
    )
    for step in steps:
        changed = step(result.text, rng) if rng.random() < 0.5 else None
        if changed is not None and changed[0] != result.text:
            result = Rewording(changed[0], (*result.edits, changed[1]))
    return result


def is_reworded(original: Statement, text: str) -> bool:
    """Whether more than the claim's verb and its commas differ.

    >>> first = read_statement("Show that if $n$ is odd, then $n^2$ is odd.")
    >>> is_reworded(first, "Prove that if $n$ is odd then $n^2$ is odd."), is_reworded(first, "Show that $n$ is odd.")
    (False, True)
    """
    return _strip_trifles(original) != _strip_trifles(read_statement(text))


def _strip_trifles(statement: Statement) -> list[str]:
    """The words without the claim's verb, and without commas, full stops and the spaces around them."""
    begin, end = statement.verb
    return re.split(r"[\s,.]+", f"{statement.text[:begin]} {statement.text[end:]}")


def _restructure(text: str, rng: np.random.Generator) -> tuple[str, Edit] | None:
    """``Show that if H[,] then C`` <-> ``Suppose that H. Show that C`` <-> ``If H, show that C``."""
    statement = read_statement(text)
    let = _repack_let(statement)
    if let is not None and rng.random() < 0.5:
        return let
    conclusion = statement.list_clauses("conclusion")
    if len(conclusion) != 1:
        return None
    conditions = [
        each for each in statement.clauses if each.lead in ("if", "suppose", "for") and each.role == "hypothesis"
    ]
    sentence = _find_sentence(statement)
    if len(conditions) != 1 or sentence is None:
        return _unpack_let(statement, rng)
    start, end, stop = sentence
    condition = conditions[0]
    h, c = statement.quote(condition), statement.quote(conclusion[0])
    verb = text[statement.verb[0] : statement.verb[1]].capitalize()
    inside = condition.start >= start
    if condition.lead == "for":
        if (
            not verb
            or not inside
            or re.match(r"(?:all|any|every|each)\b", h) is None
            or h.count(",")
            or c.endswith(".")
        ):
            return None
        if not c.startswith("$") or not c.endswith("$") or c.count("$") != 2 or " for " in c:
            return None
        new = f"{verb} that for {h}, {c}{stop}"
        old = text[start:end]
        return (text[:start] + new + text[end:], Edit("reorder", old, new)) if new != old else None
    if not inside and condition.lead == "if":
        return None
    begin = start
    if not inside:
        found = re.search(r"(?:Suppose|Assume)(?: that)? $", text[: condition.start])
        between = text[condition.end : start].strip()
        if found is None or between != ".":
            return None
        begin = found.start()
    if (
        c.lower().startswith("for ")
        or re.search(r"\b(?:if|then)\b", h.lower())
        or re.search(r"\bif\b(?! and only)", c.lower())
    ):
        return None
    if _ends_open(h) or _ASKS.search(h) or c.startswith(",") or (not verb and _ORDER.match(c)):
        return None
    if _GOES_ON.search(h):
        return None
    old = text[begin:end]
    options = [each for each in _frame(verb, h, c, stop) if each != old]
    new = options[int(rng.integers(len(options)))]
    return text[:begin] + new + text[end:], Edit("restructure", old, new)


def _ends_open(condition: str) -> bool:
    """Whether a sign stands at its end, within mathematics too: no other may follow it."""
    return condition.rstrip("$ ").endswith((",", ";", ".", "?"))


_ORDER = re.compile(r"(?:Show|Prove|Find|Verify|Deduce|Conclude|Determine|Compute)\b")
"""What asks for a proof and yet is no verb of a claim ("Prove Baire's theorem, namely, that")."""
_ASKS = re.compile(r"\?|\b(?:what|which|how many|find|determine|compute|evaluate)\b", re.IGNORECASE)
"""What is no condition: a comma within the mathematics hides where it ends ("If $a > 1,$ what is $b$?")."""
_GOES_ON = re.compile(r"\band (?:that|suppose|assume|let)\b", re.IGNORECASE)
"""A second condition that needs the verb of the first: "Suppose that $a > 1$, and suppose that"."""
_PLAIN_ONLY = re.compile(r"\b(?:if|then|whenever|for|or|iff|only|unless|when|some)\b|[.?]$", re.IGNORECASE)


def _move_condition(text: str, rng: np.random.Generator) -> tuple[str, Edit] | None:
    """``if H, then C`` as ``C whenever H`` and ``C if H``; ``for all x, C`` as ``C for all x``."""
    statement = read_statement(text)
    conclusions = statement.list_clauses("conclusion")
    sentence = _find_sentence(statement) if len(conclusions) == 1 else None
    if sentence is None:
        return None
    start, end, stop = sentence
    inside = [
        each for each in statement.list_clauses("hypothesis") if each.start >= start and each.lead in ("if", "for")
    ]
    if len(inside) != 1 or inside[0].end > conclusions[0].start:
        return None
    h, c = statement.quote(inside[0]), statement.quote(conclusions[0])
    if _PLAIN_ONLY.search(c) or _PLAIN_ONLY.search(h) or _ASKS.search(h) or _ends_open(h) or _GOES_ON.search(h):
        return None
    if inside[0].lead == "for" and not re.match(r"(?:all|any|every|each)\b", h):
        return None
    word = "for" if inside[0].lead == "for" else ("whenever", "if")[int(rng.integers(2))]
    verb = text[statement.verb[0] : statement.verb[1]].capitalize()
    new = f"{verb} that {c} {word} {h}{stop}" if verb else f"{c[0].upper()}{c[1:]} {word} {h}{stop}"
    return text[:start] + new + text[end:], Edit("reorder", text[start:end], new)


_SUCH = re.compile(r"(?P<let>\bLet [^.]+?) (?:such that|with|satisfying) (?P<said>\$[^.]+\$)\. (?=[A-Z])")
_APART = re.compile(r"(?P<let>\bLet [^.]+?)\. (?:Suppose|Assume) that (?P<said>\$[^.]+\$)\. (?=[A-Z])")
_FOR_ALL = re.compile(
    r"(?P<verb>Show|Prove) that for (?:all|every|each|any) (?P<kind>(?:(?:positive|odd|even|nonnegative) )*"
    r"(?:integer|real number|natural number|complex number))s? "
    r"(?P<names>\$[^$]+\$(?:(?:, | and |, and )\$[^$]+\$)*), (?=\$)"
)


def _move_declaration(text: str, rng: np.random.Generator) -> tuple[str, Edit] | None:
    """``Let x be real such that H.`` <-> ``Let x be real. Suppose that H.``; ``for all x, C`` as ``Let x be real.``"""
    del rng
    for pattern, form in ((_SUCH, "{let}. Suppose that {said}. "), (_APART, "{let} such that {said}. ")):
        if match := pattern.search(text):
            new = form.format(**match.groupdict())
            return text[: match.start()] + new + text[match.end() :], Edit("restructure", match[0], new)
    match = _FOR_ALL.match(text)
    if match is None:
        return None
    plural = " and " in match["names"] or "," in match["names"]
    kind = match["kind"]
    what = f"{kind}s" if plural else f"a{'n' if kind[0] in 'aeio' else ''} {kind}"
    new = f"Let {match['names']} be {what}. {match['verb']} that "
    return new + text[match.end() :], Edit("restructure", match[0], new)


def _frame(verb: str, h: str, c: str, stop: str) -> list[str]:
    """The ways to say that H makes C; a book has no verb."""
    if not verb:
        return [f"If {h}, then {c}{stop}", f"If {h} then {c}{stop}", f"Suppose that {h}. Then {c}{stop}"]
    return [
        f"{verb} that if {h}, then {c}{stop}",
        f"{verb} that if {h} then {c}{stop}",
        f"Suppose that {h}. {verb} that {c}{stop}",
        f"If {h}, {verb.lower()} that {c}{stop}",
    ]


_CONDITION = re.compile(r"(?:If|Suppose(?: that)?|Assume(?: that)?|Given(?: that)?) $")


def _restructure_question(text: str, rng: np.random.Generator) -> tuple[str, Edit] | None:
    """``If H, what is X?`` <-> ``Suppose that H. What is X?``"""
    del rng
    statement = read_statement(text)
    question = next(iter(statement.list_clauses("question")), None)
    before = [each for each in statement.list_clauses("hypothesis") if question and each.end <= question.start]
    if question is None or not before or before[-1].lead not in ("if", "suppose", "given"):
        return None
    condition = before[-1]
    lead, h, q = _CONDITION.search(text[: condition.start]), statement.quote(condition), statement.quote(question)
    between = text[condition.end : question.start].strip()
    if lead is None or _ends_open(h) or _GOES_ON.search(h) or re.search(r"\b(?:if|then)\b", h.lower()):
        return None
    if lead[0].startswith("If") and between in (",", ", then", "then", ""):
        new = f"Suppose that {h}. {q[0].upper()}{q[1:]}"
    elif not lead[0].startswith("If") and between == "." and q[0].isalpha():
        new = f"If {h}, {q[0].lower()}{q[1:]}"
    else:
        return None
    old = text[lead.start() : question.end]
    return text[: lead.start()] + new + text[question.end :], Edit("restructure", old, new)


def _unpack_let(statement: Statement, rng: np.random.Generator) -> tuple[str, Edit] | None:
    """``Let G be a group`` <-> ``Suppose that G is a group``."""
    text = statement.text
    lets = [each for each in statement.clauses if each.lead == "let"]
    if len(lets) != 1 or rng.random() < 0.3:
        return None
    clause = lets[0]
    h = statement.quote(clause)
    if len(re.findall(r"\bbe\b", h)) != 1 or re.search(r"\blet\b", h):
        return None
    lead = re.search(r"Let $", text[: clause.start])
    if lead is None:
        return None
    subject = h[: re.search(r"\bbe\b", h).start()]  # type: ignore[union-attr]
    plural = " and " in subject or "," in subject
    h = re.sub(r"\bbe\b", "are" if plural else "is", h)
    new = f"Suppose that {h}"
    return text[: lead.start()] + new + text[clause.end :], Edit("restructure", text[lead.start() : clause.end], new)


_SUPPOSED = re.compile(
    r"^Suppose that (\$[^$]+\$(?:(?:,| and|, and) \$[^$]+\$)*) (?:is|are) (an? |[a-z]+ numbers?|[a-z]+s\b)"
)


def _repack_let(statement: Statement) -> tuple[str, Edit] | None:
    """``Suppose that G is a group`` -> ``Let G be a group``, where the text begins so."""
    found = _SUPPOSED.match(statement.text)
    if found is None or re.search(r"\bif\b", found[1]):
        return None
    new = f"Let {found[1]} be {found[2]}"
    return new + statement.text[found.end() :], Edit("restructure", found[0], new)


def _find_sentence(statement: Statement) -> tuple[int, int, str] | None:
    """Where the claim's sentence begins and ends, and the sign that ends it; None where something follows it."""
    text = statement.text
    conclusion = statement.list_clauses("conclusion")[-1]
    rest = text[conclusion.end :]
    if rest.strip() not in (".", ""):
        return None
    before = [each for each in statement.clauses if each.end <= statement.verb[0]]
    start = statement.verb[0]
    if (
        before
        and before[-1].lead in ("if", "for", "given")
        and re.fullmatch(r"[\s,]*(?:then )?", text[before[-1].end : start])
    ):
        found = re.search(r"(?:If|For|Given)(?: that)? $", text[: before[-1].start])
        if found is None:
            return None
        start = found.start()
    return start, len(text), rest.strip() or ("" if statement.quote(conclusion).rstrip("$ ").endswith(".") else ".")


def _change_verb(text: str, rng: np.random.Generator) -> tuple[str, Edit] | None:
    del rng
    start, end = read_statement(text).verb
    old = text[start:end]
    new = {"show": "prove", "prove": "show"}.get(old.lower())
    if new is None:
        return None
    new = new.capitalize() if old[0].isupper() else new
    return text[:start] + new + text[end:], Edit("verb", old, new)


def _change_question(text: str, rng: np.random.Generator) -> tuple[str, Edit] | None:
    """``What is X?`` <-> ``Find X.`` <-> ``Determine X.``"""
    statement = read_statement(text)
    questions = statement.list_clauses("question")
    if not questions:
        return None
    question = questions[0]
    said = statement.quote(question)
    # What stands after the sentence's sign (the choices of a test) stays where it is.
    lead = re.match(
        r"(What is|what is|Find|find|Determine|determine|Compute|compute|Calculate|Evaluate) (?=the |\$)", said
    )
    mark = text[question.end : question.end + 1]
    if lead is None or mark not in ("?", ".") or "?" in said:
        return None
    inside = said[0].islower()
    options = [each for each in ("What is", "Find", "Determine") if each.lower() != lead[1].lower()]
    if lead[1].lower() in ("find", "determine") and re.search(r"\b(if|such that|all|values|when)\b", said):
        options = [each for each in options if each != "What is"]
    if not options:
        return None
    new = options[int(rng.integers(len(options)))]
    sign = "?" if new == "What is" else "."
    new = new.lower() if inside else new
    asked = f"{new} {said[lead.end() :]}{sign}"
    old = text[question.start : question.end + 1]
    return text[: question.start] + asked + text[question.end + 1 :], Edit("question", old, asked)


_VALUE = re.compile(r"((?:[Ww]hat is|[Ff]ind|[Dd]etermine|[Cc]ompute|[Ee]valuate|[Cc]alculate) )(the value of )?(?=\$)")


def _change_value(text: str, rng: np.random.Generator) -> tuple[str, Edit] | None:
    """``What is the value of $x$?`` <-> ``What is $x$?``"""
    del rng
    questions = read_statement(text).list_clauses("question")
    found = _VALUE.match(text, questions[0].start, questions[0].end) if questions else None
    if found is None:
        return None
    new = found[1] + ("" if found[2] else "the value of ")
    return text[: found.start()] + new + text[found.end() :], Edit("question", found[0].strip(), new.strip())


_EXISTS = {"there exists": "there is", "there exist": "there are", "is equal to": "equals"}
_EXISTS |= {new: old for old, new in _EXISTS.items()}
_EXISTENCE = re.compile(
    r"\b[Tt]here (?:exists|is)(?= (?:an?|no|at|exactly) )"
    r"|\b[Tt]here (?:exist|are)(?= (?:no|infinitely|finitely|at|only) )"
    r"|\b(?:is equal to|equals)\b"
)


def _change_existence(text: str, rng: np.random.Generator) -> tuple[str, Edit] | None:
    """``there exists a`` <-> ``there is a``; ``is equal to`` <-> ``equals``."""
    found = list(_EXISTENCE.finditer(text))
    if not found:
        return None
    match = found[int(rng.integers(len(found)))]
    new = _EXISTS[match[0].lower()]
    new = new.capitalize() if match[0][0].isupper() else new
    return text[: match.start()] + new + text[match.end() :], Edit("connective", match[0], new)


_FOR = re.compile(r"\b([Ff]or) (all|any|every|each) (?=\$)")


def _change_quantifiers(text: str, rng: np.random.Generator) -> tuple[str, Edit] | None:
    """``for all $x$`` <-> ``for every $x$``; ``if and only if`` <-> ``exactly when``."""
    match = _FOR.search(text)
    if match is not None:
        options = [each for each in ("all", "every", "any") if each != match[2]]
        new = f"{match[1]} {options[int(rng.integers(len(options)))]} "
        return text[: match.start()] + new + text[match.end() :], Edit("quantifier", match[0].strip(), new.strip())
    match = re.search(r"\bif and only if\b|\biff\b", text)
    if match is None:
        return None
    new = "iff" if match[0] == "if and only if" else "if and only if"
    return text[: match.start()] + new + text[match.end() :], Edit("connective", match[0], new)


_BEFORE = r"(?:^|(?<=that )|(?<=then )|(?<=and )|(?<=or )|(?<=[Ii]f )|(?<=[,.] ))"
"""What stands before a whole subject: of "the number $n$ divides" the sign is its end alone."""
_DIVIDES = re.compile(_BEFORE + r"(\$[^$]+\$|\b\d+\b) divides (\$[^$]+\$|\b\d+\b)")
_DIVISIBLE = re.compile(_BEFORE + r"(\$[^$]+\$|\b\d+\b) is divisible by (\$[^$]+\$|\b\d+\b)")


def _change_voice(text: str, rng: np.random.Generator) -> tuple[str, Edit] | None:
    """``$a$ divides $b$`` <-> ``$b$ is divisible by $a$``."""
    del rng
    for pattern, form in ((_DIVIDES, "{1} is divisible by {0}"), (_DIVISIBLE, "{1} divides {0}")):
        match = pattern.search(text)
        if match is not None and not match[2].rstrip("$").endswith((".", ",")):
            new = form.format(match[1], match[2])
            return text[: match.start()] + new + text[match.end() :], Edit("voice", match[0], new)
    return None


_SIDES = re.compile(r"\$([^$,=]+?) ?(\\leq?|\\geq?|<|>)(?![a-z]) ?([^$,=<>]+?)\$")
_BEFORE_RELATION = re.compile(
    r"(?:^|\b(?:that|if|If|then|Then|and|or|where|with|whenever|satisfying|have|when) |[,:.] )$"
)
"""What stands before a whole relation: of "a prime $p > 100$" the noun is what is named."""
_TURNED = {"\\le": "\\ge", "\\leq": "\\geq", "\\ge": "\\le", "\\geq": "\\leq", "<": ">", ">": "<"}


def _mirror_relation(text: str, rng: np.random.Generator) -> tuple[str, Edit] | None:
    """``$a < b$`` as ``$b > a$``."""
    found = [m for m in _SIDES.finditer(text) if _BEFORE_RELATION.search(text[: m.start()])]
    found = [m for m in found if not re.search(r"\\[lg]eq?|[<>]|\\mid|\\in\b|\\equiv|\\\\|\|", m[1] + m[3])]
    found = [
        m
        for m in found
        if all(each.count("{") == each.count("}") and each.count("(") == each.count(")") for each in (m[1], m[3]))
        and m[3][-1:] not in (".", ";")
    ]
    if not found:
        return None
    match = found[int(rng.integers(len(found)))]
    new = f"${match[3].strip()} {_TURNED[match[2]]} {match[1].strip()}$"
    return text[: match.start()] + new + text[match.end() :], Edit("mirror_relation", match[0], new)


def list_declared(pieces: Sequence[Piece], text: str) -> list[str]:
    """Letters that stand alone in a piece or in a list of names: variables, and not what everybody calls so."""
    found: list[str] = []
    for piece in pieces:
        if piece.kind != "math":
            continue
        inner = text[slice(*piece.inner)].strip()
        if re.fullmatch(r"[A-Za-z](?:\s*,\s*[A-Za-z])*", inner):
            found += re.findall(r"[A-Za-z]", inner)
    return list(dict.fromkeys(each for each in found if each not in ("e", "i", "d")))


_AXES = re.compile(r"(?<![A-Za-z])([A-Za-z])\$?[- ](?:intercept|axis|axes|coordinate|direction|value)")
"""Letters that name an axis of everybody's plane."""


def _rename(text: str, rng: np.random.Generator) -> tuple[str, Edit] | None:
    """Some variables under other names, everywhere; never under one that the text uses."""
    pieces = split_pieces(text)
    if "\\int" in text or "\\operatorname" in text or "\\rm" in text or re.search(r"\bd[xyzt]\b", text):
        return None
    used = {m.group() for piece in pieces if piece.kind == "math" for m in LETTER.finditer(text, *piece.inner)}
    words = {piece.text for piece in pieces if piece.kind == "word" and len(piece.text) == 1}
    subscripted = set(re.findall(r"([A-Za-z])_\{?\d", text))
    of_axes = set(_AXES.findall(text))
    renaming: dict[str, str] = {}
    declared = [each for each in list_declared(pieces, text) if each not in subscripted | of_axes]
    for name in declared:
        if (name in words and name in ("a", "A", "I")) or rng.random() < 0.2:
            continue
        pool = next((each for each in _POOLS if name in each), "")
        fresh = [c for c in pool if c not in used and c not in words and c not in renaming.values() and c != name]
        if fresh:
            renaming[name] = fresh[int(rng.integers(len(fresh)))]
    if not renaming:
        return None
    return apply_renaming(text, renaming), Edit("rename", ", ".join(renaming), ", ".join(renaming.values()))


def apply_renaming(text: str, renaming: dict[str, str]) -> str:
    """The text with variables under other names, in mathematics and where a letter stands for one in the words."""
    parts: list[str] = []
    at = 0
    for piece in split_pieces(text):
        parts.append(text[at : piece.start])
        at = piece.end
        if piece.kind == "math":
            parts.append(_rename_math(piece.text, renaming))
        elif piece.kind == "word" and piece.text not in ("a", "A", "I"):
            parts.append(renaming.get(piece.text, piece.text))
        else:
            parts.append(piece.text)
    return "".join([*parts, text[at:]])


def _rename_math(text: str, renaming: dict[str, str]) -> str:
    parts: list[str] = []
    at, depth = 0, 0
    previous = ""
    for match in LETTER.finditer(text):
        parts.append(text[at : match.start()])
        at = match.end()
        token = match.group()
        if depth:
            depth += (token == "{") - (token == "}")
            parts.append(token)
        elif previous in CONSTANT_CONTEXTS and token == "{":
            depth = 1
            parts.append(token)
        elif previous in CONSTANT_CONTEXTS:
            parts.append(token)
        else:
            new = renaming.get(token, token)
            # \cdot x must not become \cdotx.
            parts.append(new)
        previous = token
    return "".join([*parts, text[at:]])
