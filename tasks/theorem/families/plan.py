"""Which near misses and rewordings are made of each statement, chosen over the whole corpus so that no word gives one
away (`tasks.contract.choosing_offers`): as many lose "not" as gain it, as many numbers grow as shrink, texts get longer
as often as shorter. What is offered is judged beforehand: near misses that are known to be false, rewordings that say
the same.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from storage.rows import Anchor, Edit, Reject
from tasks.contract.choosing import Bounds, measure_change
from tasks.contract.choosing_offers import Offer, Offers, Plan, prepare_plan
from tasks.contract.context import Context
from tasks.contract.family import Draft, Maker
from tasks.contract.prepare import Preparation
from tasks.contract.rejects import reject_contrast
from tasks.contract.verdict import CheckError, Checks, checked
from tasks.theorem.families.profile import profile_change
from tasks.theorem.language.grammar import GrammarError, Statement
from tasks.theorem.lean.signature import Signature
from tasks.theorem.settings import TheoremSettings

MOST = 24
"""Near misses of one statement that are judged."""
BOUNDS = Bounds(slack=0.12, least=2)
"""Most changes gain or lose each word once."""
Text = tuple[str, tuple[Edit, ...]]


class Proposals(NamedTuple):
    """The texts that may be made of an anchor's; where there are none, ``why`` not."""

    original: str
    texts: Sequence[Text]
    why: str


Propose = Callable[[Anchor, Context[TheoremSettings]], Proposals]
Planned = tuple[Preparation[TheoremSettings, Plan], Maker[TheoremSettings]]


def plan_family(family: str, propose: Propose, count: str, *, in_lean: bool = False) -> Planned:
    """The preparation and the maker of a family whose texts are chosen among what ``propose`` finds."""

    def list_offers(anchor: Anchor, context: Context[TheoremSettings]) -> Offers:
        found = propose(anchor, context)
        return Offers([_offer(found.original, *each) for each in found.texts])

    plan = prepare_plan(f"{family}_plan", list_offers, count, ("grades",), bounds=BOUNDS)

    def make(anchor: Anchor, context: Context[TheoremSettings]) -> Iterator[Draft | Reject]:
        chosen = plan.of(context).list_kept(anchor.anchor_id)
        for text, edits in map(json.loads, chosen):
            yield Draft(text=text, code=text if in_lean else None, edits=tuple(Edit(*each) for each in edits))
        if not chosen and (why := propose(anchor, context).why):
            yield reject_contrast(family, anchor, why)

    return plan, make


def _offer(original: str, text: str, edits: Sequence[Edit]) -> Offer:
    kept = json.dumps([text, [(each.kind, each.target, each.replacement) for each in edits]])
    return Offer(measure_change({}, profile_change(original, text)), text, kept=kept)


Said = TypeVar("Said", Statement, Signature)


def propose_near_misses(
    anchor: Anchor,
    context: Context[TheoremSettings],
    family: str,
    read: Callable[[Anchor], Said],
    propose: Callable[[Said, np.random.Generator, bool], Sequence[Text]],
    judge: Callable[[Checks, Said, str], None],
) -> Proposals:
    """Those near misses that are known to be false."""
    try:
        original = read(anchor)
    except CheckError as error:
        return Proposals("", (), name_uncovered(error))
    rejected: Counter[str] = Counter()
    texts = []
    for text, edits in propose(original, context.rng(family, anchor.anchor_id), "undecided" in context.settings.grades)[
        :MOST
    ]:
        verdict = checked(judge)(original, text)
        if verdict.passed:
            texts.append((text, edits))
        else:
            rejected[verdict.reasons[0].partition(":")[0]] += 1
    told = ", ".join(f"{n} {code}" for code, n in sorted(rejected.items())) or "no proposals"
    source = original.text if isinstance(original, Statement) else original.source
    return Proposals(source, texts, "" if texts else f"exhausted: none is known to be false: {told}")


def name_uncovered(error: CheckError | GrammarError) -> str:
    """Why nothing is made of a statement that cannot be read."""
    code = str(error).partition(":")[0]
    return str(error) if code in ("no_informal", "no_formal") else f"not_covered: {error}"
