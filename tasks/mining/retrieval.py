"""The family ``<domain>.retrieval``: other anchors' captions and pictures as negatives, each shown to be one.

MMCLIP takes the 100 captions nearest to an anchor's as its negatives, unseen: of captions that say little, many are
true of the anchor too. Here each is judged by the domain's own verifier, `Domain.refutes`: a caption is a negative
(grade ``proved``) where it is shown to be false of the anchor's picture, a picture where the anchor's caption is shown
to be false of it. What is shown to be true is refused, and so is, by default, what is shown to be neither: to differ is
not to be false. With ``retrieval_undecided = "keep"`` the latter stay, with the grade ``undecided``.

Of photographs nobody decides most captions (`Domain.judges`). What is not shown to be true of them stands by
positive-aware limits (`counterfoil.tasks.mining.choose.Limits`) alone: ``undecided``, never ``proved``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from counterfoil.storage.rows import Anchor, Contrast, Edit, Image, Provenance, Reject
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.domain import Domain
from counterfoil.tasks.contract.family import Candidate, Draft, Family
from counterfoil.tasks.contract.memo import Memo
from counterfoil.tasks.contract.rejects import reject_contrast
from counterfoil.tasks.contract.settings import RETRIEVAL_KEYS, DomainSettings
from counterfoil.tasks.contract.verdict import CheckError, Checks, Verdict, checked
from counterfoil.tasks.encoders import HASHED, Encoder, load_encoder, load_pair_scorer
from counterfoil.tasks.mining.choose import UNPROVED, Limits, find_limits
from counterfoil.tasks.mining.prepare import Found, Neighbour, make_preparation

RETRIEVED = "retrieved"
"""The kind of the edit that says of which anchor a contrast is, and at which rank it was found."""
_UNDECIDED = "whether the caption is false of the picture cannot be told (retrieval_undecided = keep would keep it)"
_CLOSE = 1e-5
_REMEMBERED = 4096
"""Found pictures whose soundness is remembered."""


def add_retrieval(domain: Domain[Any]) -> Domain[Any]:
    """The domain with its family ``retrieval``, where it wants one."""
    if not domain.retrieval:
        return domain
    family = _Retrieval(domain).describe()
    return replace(domain, families={**domain.families, family.name: family})


class _Retrieval:
    """Maker and verifier of one domain."""

    def __init__(self, domain: Domain[Any]) -> None:
        self.domain = domain
        self.name = f"{domain.name}.retrieval"
        self.preparation = make_preparation(domain)
        self._seen = Memo[tuple[Verdict, bool | None]](_REMEMBERED)

    def describe(self) -> Family[Any]:
        return Family(
            self.name,
            "negative",
            "text",
            "MMCLIP (retrieval), SimANS",
            "captions and pictures of other anchors, near by a model's vectors, false of this one",
            make=self.make,
            verify=checked(self.verify),
            count=_count,
            uses=RETRIEVAL_KEYS,
            mixed=True,
            rates=("similarity",),
            prepare=self.preparation,
            version=5,
        )

    def make(self, anchor: Anchor, context: Context[Any]) -> Iterator[Candidate | Reject]:
        """The anchor's candidates, as they were chosen."""
        index, settings = self.preparation.of(context), context.settings
        flaw = index.find_flaw(anchor.anchor_id)
        if flaw is not None:
            yield reject_contrast(self.name, anchor, f"vector_sound: {flaw}")
            return
        judged = self.domain.judges(anchor)
        limits, unproved = find_limits(settings, judged), find_limits(settings, judged=False)
        offers = list(index.list_offers(anchor.anchor_id))
        wanted = _count(settings)
        if len(offers) < wanted:
            told = f"{len(offers)} of {wanted} found: no more are of other groups of the split and under the limit"
            yield reject_contrast(self.name, anchor, f"few_in_reach: {told}")
        doubts = _ask_judge(anchor, [index.get(offer).caption or "" for offer in offers], settings)
        for offer, doubt in zip(offers, doubts, strict=True):
            draft = _draft(offer, index.get(offer), index.identity)
            limit = limits.find_limit(offer.positive)
            if judged and settings.retrieval_undecided == "keep" and self._is_undecided(draft, anchor, context):
                # Nobody vouches for it but its distance, as of a photograph's.
                limit = unproved.find_limit(offer.positive)
            if offer.nearest > limit:
                reason = f"too_near: cosine {offer.nearest:.4f}, over the limit of {limit:.4f}; it may be a positive"
                yield reject_contrast(self.name, anchor, reason)
            elif doubt:
                yield reject_contrast(self.name, anchor, doubt)
            else:
                yield draft

    def _is_undecided(self, draft: Draft, anchor: Anchor, context: Context[Any]) -> bool:
        if draft.modality == "text":
            return self.domain.refutes(draft.text or "", anchor, context) is None
        shown = _see_as_anchor(draft, draft.image or b"", anchor)
        return self.domain.refutes(anchor.caption or "", shown, context) is None

    def look_at(self, shown: Anchor, context: Context[Any]) -> tuple[Verdict, bool | None]:
        """Whether a found picture is sound, and its own caption false of it. Remembered: many anchors find the same."""

        def find() -> tuple[Verdict, bool | None]:
            verify = self.domain.verify_picture
            verdict = verify(shown, context) if verify is not None else Verdict()
            return verdict, self.domain.refutes(shown.caption or "", shown, context) if verdict.passed else None

        picture = shown.image and shown.image.bytes
        settings = context.settings.model_dump_json()
        return self._seen.recall(find, settings, picture, shown.vector, shown.code, shown.caption)

    def verify(self, checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[Any]) -> None:
        """What is stored is another anchor's, and false of this one."""
        edits = [edit for edit in contrast.edits if edit.kind == RETRIEVED]
        other = len(contrast.edits) == len(edits) == 1 and edits[0].replacement not in ("", anchor.anchor_id)
        other = other and edits[0].target == f"rank {read_rank(contrast)}"
        checks.require("found_elsewhere", other, "the row does not say of which other anchor it is")
        checks.require("has_text", bool(contrast.text and contrast.text.strip()), "there is no caption")
        if contrast.modality == "text":
            whole = contrast.image is contrast.vector is contrast.code is None
            checks.require("text_alone", whole, "a text negative has no picture, and no code")
            self._check_text(checks, contrast, anchor, context)
        else:
            self._check_image(checks, contrast, anchor, context)
        _check_similarity(checks, contrast, anchor, context)

    def _check_text(self, checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[Any]) -> None:
        text = contrast.text or ""
        own = {
            tuple(each.casefold().split())
            for each in (anchor.caption or "", *anchor.captions, *(v.text for v in anchor.views))
        }
        checks.require("other_words", tuple(text.casefold().split()) not in own, "it is a caption of the anchor")
        self._check_refuted(checks, self.domain.refutes(text, anchor, context), anchor, context)

    def _check_image(self, checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[Any]) -> None:
        checks.require("picture_stored", contrast.image is not None, "there is no picture")
        assert contrast.image is not None
        same = anchor.image is not None and anchor.image.bytes == contrast.image.bytes
        checks.require("other_picture", not same, "it is the anchor's picture")
        shown = _see_as_anchor(contrast, contrast.image.bytes, anchor)
        verdict, told = self.look_at(shown, context)
        if not verdict.passed:
            raise CheckError(verdict.reasons[0])
        checks.passed += [name for name in verdict.checks if name not in checks.passed]
        if self.domain.judges(anchor):
            checks.require("own_caption_true", told is False, "its own caption is not seen to be true of it")
        self._check_refuted(checks, self.domain.refutes(anchor.caption or "", shown, context), anchor, context)

    def _check_refuted(self, checks: Checks, refuted: bool | None, anchor: Anchor, context: Context[Any]) -> None:
        """The caption is shown to be false of the picture; or neither is shown, such rows may stay, and it says so."""
        if refuted is None:
            if self.domain.judges(anchor) and context.settings.retrieval_undecided == "drop":
                raise CheckError(f"judged: {_UNDECIDED}")
            checks.grade = "undecided"
            return
        checks.require("judged", True, "")
        checks.require("false_of_anchor", refuted, "the caption is true of the picture: equal facts")


def _ask_judge(anchor: Anchor, captions: Sequence[str], settings: DomainSettings) -> list[str]:
    """For each caption why the cross-encoder takes it for a positive; empty where it does not, or none is asked.

    The positive is the anchor's caption beside its other captions and views, by the lowest of their scores; where it
    has none, beside itself.
    """
    if settings.retrieval_judge is None:
        return [""] * len(captions)
    own = anchor.caption or ""
    others = list(dict.fromkeys((*anchor.captions, *(view.text for view in anchor.views))))
    scores = load_pair_scorer(settings.retrieval_judge).score(
        own, [*([each for each in others if each != own] or [own]), *captions]
    )
    positives, found = scores[: len(scores) - len(captions)], scores[len(scores) - len(captions) :]
    limit = Limits(relative=UNPROVED).find_limit(float(positives.min()))
    return [
        f"judged_positive: {settings.retrieval_judge} scores it {score:.4f}, over the limit of {limit:.4f}"
        if score > limit
        else ""
        for score in found
    ]


def _count(settings: Any) -> int:
    kinds = 2 if settings.retrieval_find == "both" else 1
    return kinds * int(settings.retrieval_negatives)


def read_other(row: Contrast) -> str | None:
    """The id of the anchor that a row says it was found at; None of a row that was not mined.

    >>> read_other(Contrast("a", "toy.retrieval", "negative", "text", edits=(Edit(RETRIEVED, "rank 17", "b"),)))
    'b'
    """
    return next((edit.replacement for edit in row.edits if edit.kind == RETRIEVED), None)


def read_rank(contrast: Contrast) -> int | None:
    """At which rank among its anchor's neighbours a contrast was found; None where it was made.

    >>> read_rank(Contrast("a", "toy.retrieval", "negative", "text", edits=(Edit(RETRIEVED, "rank 17", "b"),)))
    17
    """
    told = next((edit.target for edit in contrast.edits if edit.kind == RETRIEVED), "")
    rank = told.removeprefix("rank ")
    return int(rank) if rank.isdecimal() else None


def _draft(offer: Neighbour, found: Found, identity: str) -> Draft:
    picture = offer.modality == "image"
    return Draft(
        text=found.caption,
        image=found.image if picture else None,
        vector=found.vector if picture else None,
        code=found.code if picture else None,
        edits=(Edit(RETRIEVED, f"rank {offer.rank}", found.anchor_id),),
        similarity=offer.score,
        provenance=Provenance(model=identity),
        modality=offer.modality,
    )


def _see_as_anchor(found: Draft | Contrast, picture: bytes, anchor: Anchor) -> Anchor:
    """The found picture as an anchor of its own, from the contrast's own bytes alone."""
    return replace(
        anchor,
        anchor_id=found.edits[0].replacement,
        image=Image(picture, "found.png"),
        vector=found.vector,
        code=found.code,
        code_language=anchor.code_language if found.code else None,
        caption=found.text,
        captions=(found.text or "",),
        views=(),
        facts=(),
        group=None,
    )


def _check_similarity(checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[Any]) -> None:
    """The similarity is a cosine; of vectors that need no model, the very one of the two."""
    similarity = contrast.similarity
    stated = similarity is not None and -1 - _CLOSE <= similarity <= 1 + _CLOSE
    checks.require("similarity_stated", stated, f"{similarity} is no cosine")
    assert similarity is not None
    settings = context.settings
    if settings.retrieval_model != HASHED:
        return
    encoder = load_encoder(HASHED)
    named = contrast.provenance.model == encoder.identity
    checks.require("similarity_stated", named, f"{contrast.provenance.model} did not find it, but {encoder.identity}")
    if settings.retrieval_query != "same":
        return
    if contrast.modality == "text":
        own, other = _encode_text(anchor.caption or ""), _encode_text(contrast.text or "")
    else:
        own, other = (_encode_image(encoder, row.image.bytes if row.image else b"") for row in (anchor, contrast))
    found = float(own @ other)
    checks.require("similarity_true", abs(found - similarity) <= _CLOSE, lambda: f"{similarity}, but it is {found:.6f}")


@lru_cache(maxsize=4096)
def _encode_text(text: str) -> Any:
    return load_encoder(HASHED).encode_texts([text])[0].astype("float64")


def _encode_image(encoder: Encoder, picture: bytes) -> Any:
    return encoder.encode_images([picture])[0].astype("float64")
