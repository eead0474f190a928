"""Negative captions as a language model proposes them for one anchor: what it is asked, and what its answers hold."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from counterfoil.storage.rows import Anchor, Edit, Fact, Provenance, Reject
from counterfoil.tasks.contract.family import Draft
from counterfoil.tasks.contract.rejects import reject_contrast
from counterfoil.tasks.contract.verdict import Checks, checked
from counterfoil.tasks.geometry.author.vocabulary import list_wordings
from counterfoil.tasks.geometry.captions.read import parse_claims
from counterfoil.tasks.geometry.checks import check_negative_text
from counterfoil.tasks.geometry.figure.claims import list_meanings
from counterfoil.tasks.geometry.figure.scene import Scene
from counterfoil.tasks.llm.asking import Answer, Ask
from counterfoil.tasks.llm.errors import AnswerRejected
from counterfoil.tasks.llm.repair import share_out


class Proposals:
    """The negative captions of one anchor: those that pass the rules and are false of its drawing, and what failed."""

    def __init__(self, anchor: Anchor, scene: Scene, prompt_id: str, family: str, *, drastic: bool) -> None:
        """``scene`` is what the anchor's picture shows; ``drastic`` allows what Fig. 11 allows and Fig. 8 forbids."""
        self._anchor, self._scene, self._prompt_id, self._family = anchor, scene, prompt_id, family
        self._drastic = drastic
        self.taken: dict[frozenset[Fact], str] = {}
        """What each good caption says, and its text."""
        self._failures: list[str] = []
        self._asked = 0
        self.ended = False
        """Whether the author gave no answer that can be read, so that nothing more is asked of it."""

    def ask(self, count: int) -> Ask:
        """The request for ``count`` captions more, told what is there and what failed."""
        self._asked = count
        variables: dict[str, Any] = {
            "caption": self._anchor.caption or "",
            "count": count,
            "letters": sorted(set(self._scene.points) | {name for name in self._scene.circles if name.isupper()}),
            "failures": self._failures,
            "taken": list(self.taken.values()),
        }
        if self._prompt_id == "geometry.negative_captions":
            variables |= {"script": self._anchor.code or "", "wordings": list_wordings()}
        return Ask(self._prompt_id, variables, self._family)

    def take(self, answer: Answer | AnswerRejected) -> Iterator[Draft | Reject]:
        """What an answer holds, in its order: good captions, and the others as rejects with their reasons.

        What goes beyond the number that was asked for is left out; too few are asked for again.
        """
        if isinstance(answer, AnswerRejected):
            self.ended = True
            yield self._reject(answer.reason, raw=answer.raw, provenance=answer.provenance)
            return
        listed = answer.data["negatives"][: self._asked]
        provenance = share_out(answer.provenance(), len(listed))
        for each in listed:
            text = each["caption"].strip()
            reasons = self.find_fault(text, each)
            if reasons:
                self._failures.append(f"{text} ({'; '.join(reasons)})")
                yield self._reject(*reasons, raw=json.dumps(each, ensure_ascii=False), provenance=provenance)
                continue
            self.taken[list_meanings(parse_claims(text))] = text
            edits = tuple(Edit(edit["kind"], edit["target"], edit["replacement"]) for edit in each["edits"])
            yield Draft(text=text, edits=edits, provenance=provenance)

    def _reject(self, *reasons: str, raw: str, provenance: Provenance) -> Reject:
        return reject_contrast(self._family, self._anchor, *reasons, raw=raw, provenance=provenance)

    def find_fault(self, text: str, proposal: Mapping[str, Any]) -> tuple[str, ...]:
        """Why a proposed caption is no negative, before any code is asked for."""
        verdict = _check_caption(text, self._anchor, self._scene, self._drastic)
        if not verdict.passed:
            return verdict.reasons
        said = list_meanings(parse_claims(text))
        if said in self.taken:
            return (f"repeated: says what {self.taken[said]!r} says",)
        for edit in proposal["edits"]:
            target, replacement = edit["target"], edit["replacement"]
            if target.casefold() not in (self._anchor.caption or "").casefold() or replacement not in text:
                return (f"edits_true: {target!r} -> {replacement!r} did not happen",)
        return ()


@checked
def _check_caption(checks: Checks, text: str, anchor: Anchor, scene: Scene, drastic: bool) -> None:
    check_negative_text(checks, text, anchor, scene, drastic)
