"""Which near misses and rewordings are made of each statement, chosen over the whole corpus so that no word gives one
away (`tasks.contract.choosing_offers`): as many lose "not" as gain it, as many numbers grow as shrink, texts get longer
as often as shorter. What is offered is judged beforehand: near misses that are known to be false, rewordings that say
the same.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, NamedTuple, TypeVar
from zlib import crc32

import numpy as np

from counterfoil.storage.rows import Anchor, Edit, Reject
from counterfoil.tasks.contract.choosing import Bounds, measure_change
from counterfoil.tasks.contract.choosing_offers import Offer, Offers, Plan, prepare_plan
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.crossing import find_worlds
from counterfoil.tasks.contract.family import Draft, Maker
from counterfoil.tasks.contract.prepare import Preparation
from counterfoil.tasks.contract.rejects import reject_contrast
from counterfoil.tasks.contract.verdict import CheckError, Checks, checked
from counterfoil.tasks.theorem.edits.trees import Change
from counterfoil.tasks.theorem.families.profile import find_form, measure_place, profile_change
from counterfoil.tasks.theorem.families.worlds import NUMBERS, Member, order_changes, weigh
from counterfoil.tasks.theorem.language.grammar import GrammarError, Statement
from counterfoil.tasks.theorem.lean.signature import Signature
from counterfoil.tasks.theorem.settings import TheoremSettings

BOUNDS = Bounds(slack=0.12, least=2)
"""Most changes gain or lose each word once."""
Text = tuple[str, tuple[Edit, ...]]
Texts = tuple[Text, ...]
"""What is made together or not at all: a world's near misses, or one rewording."""


class Proposals(NamedTuple):
    """The sets of texts of which one may be made of an anchor's; where there are none, ``why`` not."""

    original: str
    sets: Sequence[Texts]
    why: str


Propose = Callable[[Anchor, Context[TheoremSettings]], Proposals]
Planned = tuple[Preparation[TheoremSettings, Plan], Maker[TheoremSettings]]


def plan_family(
    family: str, propose: Propose, uses: tuple[str, ...], count: str = "", *, in_lean: bool = False
) -> Planned:
    """The preparation and the maker of a family that makes some of the sets of texts that ``propose`` finds: one, or as
    many as the key ``count`` of the settings says."""

    def list_offers(anchor: Anchor, context: Context[TheoremSettings]) -> Offers:
        found = propose(anchor, context)
        return Offers([_offer(found.original, each, i if count else 0) for i, each in enumerate(found.sets)])

    quota: dict[str, Any] = {} if count else {"trim": limit_numbers, "trim_uses": ("numbers",)}
    plan = prepare_plan(f"{family}_plan", list_offers, count, uses, bounds=BOUNDS, version=6, **quota)

    def make(anchor: Anchor, context: Context[TheoremSettings]) -> Iterator[Draft | Reject]:
        chosen = plan.of(context).list_kept(anchor.anchor_id)
        for text, edits in (each for kept in chosen for each in json.loads(kept)):
            yield Draft(text=text, code=text if in_lean else None, edits=tuple(Edit(*each) for each in edits))
        if not chosen:
            yield reject_contrast(family, anchor, propose(anchor, context).why or _OVER)

    return plan, make


_OVER = "numbers: a number is all that can be changed, and `numbers` of the rows do that already"


def limit_numbers(chosen: list[list[str]], context: Context[TheoremSettings]) -> list[list[str]]:
    """What was chosen with no more rows than the setting ``numbers`` allows that change numbers alone: of sets of such
    rows first all but one are left out, then the sets; those of mixed sets stay."""
    share = context.settings.numbers
    plain = [[_changes_numbers(edits) for kept in each for _, edits in json.loads(kept)] for each in chosen]
    found = list(chosen)
    numbers, rows = sum(map(sum, plain)), sum(map(len, plain))
    alone = [i for i, each in enumerate(plain) if each and all(each)]
    alone.sort(key=lambda i: crc32(chosen[i][0].encode()))
    for most in (1, 0):
        for i in alone:
            if numbers <= share * rows:
                return found
            sets = json.loads(found[i][0])
            numbers, rows = numbers - len(sets[most:]), rows - len(sets[most:])
            found[i] = [json.dumps(sets[:most])] if most else []
    return found


def _changes_numbers(edits: Sequence[Sequence[str]]) -> bool:
    return all(kind in NUMBERS for kind, _, _ in edits)


def _offer(original: str, texts: Texts, same: int) -> Offer:
    kept = json.dumps([[text, [(each.kind, each.target, each.replacement) for each in edits]] for text, edits in texts])
    changes = [profile_change(original, text) for text, _ in texts]
    names = sorted({name for each in changes for name in each})
    total = {name: sum(each.get(name, 0) for each in changes) for name in names}
    total |= measure_place([original, *(text for text, _ in texts)])
    form = find_form(original)
    total |= {f"{form} {name}": amount for name, amount in total.items() if name.startswith("#")}
    return Offer(measure_change({}, total), same, kept=kept)


Said = TypeVar("Said", Statement, Signature)


class Writer(NamedTuple, Generic[Said]):
    """How near misses of a language are proposed, written and judged."""

    read: Callable[[Anchor], Said]
    propose: Callable[[Said, np.random.Generator, bool], Sequence[Change]]
    write: Callable[[Sequence[Change], Said], str]
    judge: Callable[[Checks, Said, str], None]


def propose_near_misses(
    anchor: Anchor, context: Context[TheoremSettings], family: str, writer: Writer[Said]
) -> Proposals:
    """Worlds of near misses that are known to be false."""
    try:
        original = writer.read(anchor)
    except CheckError as error:
        return Proposals("", (), name_uncovered(error))
    rejected: Counter[str] = Counter()
    texts: dict[Member, str] = {}

    def is_false(member: Member) -> bool:
        text = writer.write(member, original)
        verdict = checked(writer.judge)(original, text) if text and text not in texts.values() else None
        if verdict is not None and verdict.passed:
            texts[member] = text
            return True
        rejected[verdict.reasons[0].partition(":")[0] if verdict else "unwritten"] += 1
        return False

    settings, source = context.settings, original.text if isinstance(original, Statement) else original.source
    rng = context.rng(family, anchor.anchor_id)
    changes = order_changes(writer.propose(original, rng, "undecided" in settings.grades), rng)
    good = [change for change in changes if is_false((change,))]
    drawn = random.Random(int(rng.integers(2**62)))
    worlds = find_worlds(good, settings.negatives + 1, is_false, drawn, weigh)
    sets = [tuple((texts[member], _describe_member(member, source)) for member in world) for world in worlds]
    told = ", ".join(f"{n} {code}" for code, n in sorted(rejected.items())) or "no proposals"
    return Proposals(source, sets, "" if sets else f"exhausted: none is known to be false: {told}")


def _describe_member(member: Member, source: str) -> tuple[Edit, ...]:
    return tuple(change.describe(source) for change in sorted(member, key=lambda change: change.start))


def name_uncovered(error: CheckError | GrammarError) -> str:
    """Why nothing is made of a statement that cannot be read."""
    code = str(error).partition(":")[0]
    return str(error) if code in ("no_informal", "no_formal") else f"not_covered: {error}"
