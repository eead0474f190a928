"""Anchors: a statement in its views, and how one is checked again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from counterfoil.storage.rows import Anchor, Fact, Reject, View, content_id
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.domain import SourceRow
from counterfoil.tasks.contract.rejects import reject_source
from counterfoil.tasks.contract.verdict import Checks, checked
from counterfoil.tasks.theorem.language.compare import Reading, read_meaning
from counterfoil.tasks.theorem.language.grammar import GrammarError, read_statement
from counterfoil.tasks.theorem.language.numbers import state_numbers
from counterfoil.tasks.theorem.latex.terms import is_balanced
from counterfoil.tasks.theorem.lean.signature import LeanError, UnstatedError, read_signature, state_problem
from counterfoil.tasks.theorem.lean.tokens import split_tokens
from counterfoil.tasks.theorem.lean.whole import find_fault
from counterfoil.tasks.theorem.lean.write import is_same_problem
from counterfoil.tasks.theorem.settings import TheoremSettings
from counterfoil.tasks.theorem.standing import find_standing, try_views

LANGUAGE = "lean"
INFORMAL, TYPE, SIGNATURE, REPHRASING = "informal", "lean_type", "lean_signature", "rephrasing"
VIEWS = (INFORMAL, SIGNATURE, TYPE, REPHRASING)


def make_anchors(row: SourceRow, context: Context[TheoremSettings]) -> Iterator[Anchor | Reject]:
    """The anchor of a row: its informal statement, its Lean form, and the views that follow from them."""
    del context
    informal, formal, lean_type = (str(row.payload[key]) for key in (INFORMAL, "formal", "type"))
    if informal and not is_balanced(informal):
        yield reject_source(
            "theorem", row, "balanced: dollars, braces or environments of the LaTeX do not close", raw=informal
        )
        return
    rephrasing = str(row.payload.get(REPHRASING, "")) if informal else ""
    if rephrasing and not is_balanced(rephrasing):
        yield reject_source("theorem", row, "balanced: the rephrasing's LaTeX does not close", raw=rephrasing)
        return
    signature = ""
    if formal:
        try:
            read = read_signature(formal)
        except LeanError as error:
            # The statement is kept: what cannot be read is shown as it is, and no near miss is made of it.
            if not lean_type and not informal:
                yield reject_source("theorem", row, f"lean_read: {error}", raw=formal)
                return
            signature = _strip_proof(formal)
        else:
            signature, lean_type = read.source, lean_type or read.write_type()
    if fault := find_fault(signature, signature=True) or find_fault(lean_type, signature=False):
        yield reject_source("theorem", row, f"lean_whole: {fault}", raw=formal or lean_type)
        return
    found = {INFORMAL: informal, SIGNATURE: signature, TYPE: lean_type}
    found |= {REPHRASING: rephrasing} if rephrasing != informal else {}
    views = tuple(View(name, text) for name, text in found.items() if text)
    if witness := try_views(tuple((view.name, view.text) for view in views)).witness:
        yield reject_source("theorem", row, f"anchor_true: it fails at {witness}", raw="\n".join(v.text for v in views))
        return
    caption = views[0].text
    yield Anchor(
        anchor_id=_name(row.source_id, views),
        domain="theorem",
        source=row.source,
        source_id=row.source_id,
        split=row.split,
        caption=caption,
        captions=(caption,),
        code=signature or None,
        code_language=LANGUAGE if signature else None,
        answer=str(row.payload["answer"]) or None,
        facts=state_facts(informal),
        views=views,
    )


def name_anchor(anchor: Anchor, context: Context[TheoremSettings]) -> str:
    """The id that an anchor has by its views."""
    del context
    return _name(anchor.source_id, anchor.views)


def _name(source_id: str, views: tuple[View, ...]) -> str:
    return content_id("theorem", source_id, [(each.name, each.text) for each in views])


def _strip_proof(formal: str) -> str:
    """A statement that is not read, without what follows its last ``:=``."""
    text = formal.strip()
    for end in (":= by", ":="):
        text = text.removesuffix(end).rstrip()
    return text


def state_facts(informal: str) -> tuple[Fact, ...]:
    """``hypothesis`` and ``conclusion``, each with its words, its variables named in the order in which they come.

    Two statements of one meaning have the same facts, and so share a group.
    """
    try:
        reading = read_meaning(informal)
    except GrammarError:
        return ()
    names = {name: f"v{i}" for i, name in enumerate(reading.variables, 1)}
    facts = [Fact("hypothesis", (), _write(clause, names)) for clause in reading.hypotheses]
    return (*facts, *(Fact(clause[0], (), _write(clause[1:], names)) for clause in reading.claims))


def _write(tokens: tuple[str, ...], names: dict[str, str]) -> str:
    words = [names[token[1:]] if len(token) > 1 and token[0] == "@" else token for token in tokens if token != "$"]
    return " ".join(words)


def read_anchor(anchor: Anchor) -> Reading:
    """The reading of an anchor's informal statement.

    Raises:
        GrammarError: it is not of the grammar, or there is none.
    """
    return read_meaning(find_view(anchor, INFORMAL))


def find_view(anchor: Anchor, name: str) -> str:
    """The text of a view; empty where the anchor has none."""
    return next((view.text for view in anchor.views if view.name == name), "")


def _say_the_same(informal: str, signature: str) -> bool:
    """Whether words and Lean are one statement about numbers, as terms."""
    try:
        return is_same_problem(state_numbers(read_statement(informal)), state_problem(read_signature(signature)))
    except (GrammarError, LeanError, UnstatedError):
        return False


_OTHER_TYPE = "the Lean type has other numbers, relations or signs than the signature"
_BOUND = frozenset("(){}[],:→∀ℕℤℚℝℂ")
"""Signs that a type may have more or fewer of than the signature that it is the type of."""


def _has_the_shape(stated: str, written: str) -> bool:
    """Whether a Lean type is the one that follows from a signature or, where a prover printed it, has its numbers,
    relations and signs, each as often."""
    if " ".join(stated.split()) == written:
        return True
    try:
        return _list_signs(stated) == _list_signs(written)
    except LeanError:
        return False


def _list_signs(text: str) -> Counter[str]:
    """Names of variables and hypotheses are left out, those of relations and functions (``Even``) are not."""
    tokens = (each for each in split_tokens(text) if each.text not in _BOUND)
    return Counter(each.text for each in tokens if each.kind != "name" or each.text[:1].isupper())


@checked
def verify_anchor(checks: Checks, anchor: Anchor, context: Context[TheoremSettings]) -> None:
    """Views, caption, code and facts are one statement's."""
    del context
    names = [view.name for view in anchor.views]
    checks.require(
        "complete", bool(names) and all(view.text.strip() for view in anchor.views), "an anchor needs a view"
    )
    checks.require("views_named", len(set(names)) == len(names) and set(names) <= set(VIEWS), lambda: ", ".join(names))
    checks.require("caption_kept", anchor.caption == anchor.views[0].text, "the caption is not the first view")
    informal, signature = find_view(anchor, INFORMAL), find_view(anchor, SIGNATURE)
    words = informal + find_view(anchor, REPHRASING)
    checks.require("balanced", is_balanced(words), "dollars, braces or environments of the LaTeX do not close")
    checks.require("code_kept", (anchor.code or "") == signature, "the code is not the Lean signature")
    checks.require("language_kept", anchor.code_language == (LANGUAGE if signature else None), "it is not in Lean")
    checks.require("captions_kept", anchor.captions == (anchor.caption,), "it has other captions than its first view")
    others = (anchor.image, anchor.vector, anchor.question, anchor.solution)
    checks.require("nothing_else", others == (None,) * 4, "a theorem has no picture, question or solution")
    stated = find_view(anchor, TYPE)
    fault = find_fault(signature, signature=True) or find_fault(stated, signature=False)
    checks.require("lean_whole", not fault, fault)
    if signature:
        try:
            written = read_signature(signature).write_type()
        except LeanError:
            written = ""
        checks.require("type_follows", bool(stated) or not written, "the Lean type is missing")
        checks.require("type_agrees", not stated or _has_the_shape(stated, written or signature), _OTHER_TYPE)
        if anchor.source == "procedural":
            same = stated == written and _say_the_same(informal, signature)
            checks.require("nothing_else", anchor.answer is None, "a sampled theorem has no answer")
            checks.require("lean_agrees", same, "the Lean views do not say what the words do")
    witness = find_standing(anchor).witness
    checks.require("anchor_true", not witness, f"it fails at {witness}")
    checks.require("facts_agree", anchor.facts == state_facts(informal), "the facts are not what the statement says")
