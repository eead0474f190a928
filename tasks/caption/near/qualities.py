"""One quality in another's place, and a quality that nobody speaks of (``replace_att``, ``add_att``)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from counterfoil.tasks.caption.near.additions import find_phrases, is_left_alone
from counterfoil.tasks.caption.near.miss import Miss, rewrite
from counterfoil.tasks.caption.near.phrases import Phrase, list_phrases
from counterfoil.tasks.caption.near.said import Said, count_said
from counterfoil.tasks.caption.near.things import KNOWN, TABLE
from counterfoil.tasks.caption.near.ties import list_ties
from counterfoil.tasks.caption.plan.kinds import COLOURS, are_near_colours
from counterfoil.tasks.caption.words.forms import find_lemma
from counterfoil.tasks.caption.words.lexicon import open_lexicon
from counterfoil.tasks.caption.words.lists import MIXED, PARTED, PATTERNS, PRONOUNS, SHADES
from counterfoil.tasks.caption.words.parse import Sentence

_NOT_AS_IT_IS = frozenset({"toy", "painting", "statue", "black-and-white", "sepia", "monochrome"})
_LIFELESS = frozenset({"stuffed", "wooden", "inflatable", "toy", "stone"})
_STILL = frozenset({"does sit", "does stand", "does lie", "does lay", "does rest", "does hang", "does face"})
"""What something lifeless may be said to do."""
_SHORT = 5
"""Words of a phrase that may be left out for a quality."""
_LISTED = frozenset({"and", "or", ","})
_FEW = frozenset({"two", "three", "both"})
_BEFORE = frozenset({"", "a", "an", "the", "some", "two", "three", "four", "his", "her", "their"})


@dataclass(frozen=True, slots=True)
class Group:
    """Adjectives that exclude each other where they are said of one of ``nouns`` or of a noun of ``fields``."""

    units: tuple[tuple[str, ...], ...]
    nouns: frozenset[str]
    fields: frozenset[str]
    come: frozenset[str]

    def find(self, word: str) -> tuple[str, ...] | None:
        return next((unit for unit in self.units if word in unit), None)


@dataclass(frozen=True, slots=True)
class Detail:
    """Adjectives that hardly anybody leaves out who sees them of one of ``nouns``.

    Attributes:
        unless: words of which none may be said in any caption.
        said: how many captions must name the one thing that the picture has of it; 0: any thing of several will do.
    """

    words: tuple[str, ...]
    nouns: frozenset[str]
    unless: frozenset[str]
    said: int


def _read_group(row: dict[str, Sequence[str]]) -> Group:
    units = tuple(tuple(each.split("/")) for each in row["words"])
    come = frozenset(row.get("come", [name for unit in units for name in unit[:1]]))
    return Group(units, frozenset(row.get("nouns", ())), frozenset(row["fields"]), come)


GROUPS = tuple(_read_group(row) for row in TABLE["qualities"])
_DETAILS = tuple(
    Detail(tuple(row["words"]), frozenset(row["nouns"]), frozenset(row["unless"]), row.get("said", 0))
    for row in TABLE["details"]
)
_DROPPED = frozenset(name for group in GROUPS for unit in group.units for name in unit) | COLOURS
_NAMED = frozenset(noun for group in GROUPS for noun in group.nouns if " " in noun) | {
    name for name in KNOWN if name.split()[0] not in ("young", "old")
}


def list_qualities(said: Said, caption: int) -> Iterator[Miss]:
    sentence = said.sentences[caption]
    phrases = list(list_phrases(sentence, _NAMED))
    spans = [*find_phrases(sentence)] if phrases else []
    for phrase in phrases:
        yield from _exchange(said, caption, phrase)
        yield from _contradict(said, caption, phrase, spans)
        yield from _describe_phrase(said, caption, phrase, spans)


def _exchange(said: Said, caption: int, phrase: Phrase) -> Iterator[Miss]:
    sentence = said.sentences[caption]
    tokens = sentence.tokens
    own = [i for i in range(phrase.start, phrase.first) if tokens[i].head == phrase.last]
    for i in own:
        word = tokens[i].text.lower()
        if word in ("female", "male") and not PRONOUNS.isdisjoint(sentence.words()):
            continue  # "a female player with her arm out"
        if tokens[i].dep not in ("amod", "compound") or sentence.children(i):
            continue
        for group in list_groups(word, phrase.name, said.wordnet):
            if sum(group.find(tokens[k].text.lower()) is not None for k in own) > 1:
                continue
            for new in _list_others(said, group, word, phrase):
                text, edit = rewrite(sentence, [(i, i, new)], "replace_att")
                yield Miss(caption, "attribute", edit, text)


def list_groups(word: str, noun: str, wordnet: str | None) -> Iterator[Group]:
    """The groups in which the adjective is, said of this noun."""
    field = open_lexicon(wordnet).find_field(noun, "n") or open_lexicon(wordnet).find_field(
        noun.rpartition(" ")[2], "n"
    )
    for group in GROUPS:
        if group.find(word) and (
            noun in group.nouns or noun.rpartition(" ")[2] in group.nouns or field in group.fields
        ):
            yield group


def _list_others(said: Said, group: Group, word: str, phrase: Phrase) -> Iterator[str]:
    """What excludes the adjective and no caption says, nor what may be the same."""
    agreed = sum(word in _list_adjectives(there, phrase.name) for there in said.sentences) > 1
    if word in COLOURS and not _has_one_colour(said, phrase, agreed):
        return
    if phrase.plural and phrase.name not in group.nouns and phrase.determiner not in _FEW and not agreed:
        return
    own = group.find(word)
    for unit in group.units:
        if unit == own or any(name in said.words for name in unit):
            continue
        for new in unit:
            near = new in COLOURS and any(_may_be(each, new) for each in said.words)
            if new in group.come and not near:
                yield new


def _may_be(said: str, colour: str) -> bool:
    return (said in COLOURS and are_near_colours(said, colour)) or colour in SHADES.get(said, ())


def _has_one_colour(said: Said, phrase: Phrase, agreed: bool) -> bool:
    """Whether the thing has one colour of its own, and is no garment of one of several people."""
    noun = phrase.name.rpartition(" ")[2]
    if (noun in PARTED and not agreed) or noun in PATTERNS or not MIXED.isdisjoint(said.words):
        return False
    lexicon = open_lexicon(said.wordnet)
    above = {up for sense in lexicon.senses(noun, "n")[:1] for up in lexicon.climb(sense)}
    return above.isdisjoint(lexicon.senses("clothing", "n")[:1]) or not said.several_people


def _ends_well(sentence: Sentence, last: int) -> bool:
    """Whether what follows goes on without the phrase that ends there."""
    following = sentence.tokens[last + 1 : last + 2]
    if not following or following[0].pos in ("PUNCT", "AUX"):
        return True
    bare = following[0].pos == "ADP" and not sentence.children(last + 1)
    return following[0].tag in ("VBG", "VBZ", "VBP") or (following[0].pos == "ADP" and not bare)


def _is_before_noun(sentence: Sentence, last: int) -> bool:
    """Whether the word only tells which of the things behind it is meant: "baby blue scissors"."""
    return any(token.pos in ("NOUN", "PROPN", "ADJ") for token in sentence.tokens[last + 1 : last + 2])


def _contradict(said: Said, caption: int, phrase: Phrase, spans: Sequence[tuple[int, int]]) -> Iterator[Miss]:
    """Before the bare noun, what another caption excludes: "a blue bus", where that one speaks of a red one."""
    if _is_before_noun(said.sentences[caption], phrase.last):
        return
    if phrase.described or not _is_the_one(said, phrase):
        return
    sentence = said.sentences[caption]
    for other, there in enumerate(said.sentences):
        if other == caption:
            continue
        for word in _list_adjectives(there, phrase.name):
            for group in list_groups(word, phrase.name, said.wordnet):
                for new in _list_others(said, group, word, phrase):
                    yield from _add(sentence, caption, phrase, new, spans)


def _list_adjectives(sentence: Sentence, noun: str) -> Iterator[str]:
    """What is said of a noun by one adjective alone."""
    for i, token in enumerate(sentence.tokens):
        if token.tag in ("NN", "NNS") and find_lemma(token) == noun:
            adjectives = sentence.children(i, "amod", "compound", "nmod")
            if len(adjectives) == 1 and not sentence.children(adjectives[0]):
                yield sentence.tokens[adjectives[0]].text.lower()


def _is_the_one(said: Said, phrase: Phrase) -> bool:
    """Whether the captions speak of one such thing."""
    if phrase.plural or phrase.determiner not in ("a", "an", "the") or " " in phrase.name:
        return False
    times = list(count_said(said, phrase.name))
    return not any(plural for _, plural in times) and len({i for i, _ in times}) == len(times)


def _describe_phrase(said: Said, caption: int, phrase: Phrase, spans: Sequence[tuple[int, int]]) -> Iterator[Miss]:
    """Before the bare noun, what hardly anybody leaves out who sees it."""
    sentence = said.sentences[caption]
    instead = _find_quality(sentence, phrase)
    if (phrase.described and instead is None) or phrase.determiner not in _BEFORE:
        return
    if (
        _is_before_noun(sentence, phrase.last)
        or not said.words.isdisjoint(_NOT_AS_IT_IS)
        or " black and white " in said.text
    ):
        return
    ties = [*list_ties(sentence, phrase.last)]
    for detail in _DETAILS:
        known = phrase.name in detail.nouns and detail.unless.isdisjoint(said.words)
        if known and (not detail.said or _is_looked_at(said, phrase, detail.said)):
            for new in detail.words:
                if new in _LIFELESS and any(tie.startswith("does ") and tie not in _STILL for tie in ties):
                    continue
                for miss in _add(sentence, caption, phrase, new, spans, instead):
                    yield replace(miss, grade="undecided")


def _is_looked_at(said: Said, phrase: Phrase, least: int) -> bool:
    """Whether the picture shows one such thing, and so many captions name it."""
    times = [*count_said(said, phrase.name.rpartition(" ")[2])]
    return not phrase.plural and not any(plural for _, plural in times) and len({i for i, _ in times}) >= least


def _find_quality(sentence: Sentence, phrase: Phrase) -> int | None:
    """The only word that describes it, where that may be left out."""
    own = [c for c in sentence.children(phrase.last) if phrase.start <= c < phrase.first]
    plain = [c for c in own if sentence.tokens[c].dep == "amod" and sentence.tokens[c].text.lower() in _DROPPED]
    alone = len(plain) == 1 and plain[0] == phrase.first - 1 and not sentence.children(plain[0])
    alone = alone and sentence.tokens[plain[0] - 1].text.lower() not in _LISTED  # "brown and white horses"
    others = [c for c in own if c not in plain and sentence.tokens[c].dep not in ("det", "poss", "nummod")]
    return plain[0] if alone and not others and not phrase.compound else None


def _add(
    sentence: Sentence,
    caption: int,
    phrase: Phrase,
    new: str,
    spans: Sequence[tuple[int, int]],
    instead: int | None = None,
) -> Iterator[Miss]:
    """With the quality, and with another or a short phrase (one of ``spans``) left out for it: were captions only made
    longer, their length would tell."""
    tokens = sentence.tokens
    noun = sentence.text[tokens[phrase.first].start : tokens[phrase.last].end]
    described = f"{new} {noun[:1].lower() + noun[1:]}"
    if instead is not None:
        text, edit = rewrite(sentence, [(instead, phrase.last, described)], "add_att")
        yield Miss(caption, "add", edit, text)
        return
    change = (phrase.first, phrase.last, described)
    dropped = [
        (i, i + 1, tokens[i + 1].text)
        for i, token in enumerate(tokens[:-1])
        if token.dep == "amod"
        and token.text.lower() in _DROPPED
        and not sentence.children(i)
        and token.head != phrase.last
        and tokens[i - 1].text.lower() not in _LISTED
        if not phrase.first - 2 <= i <= phrase.last and tokens[i + 1].text.isalpha()
    ]
    ways = [[change], *([change, each] for each in dropped)]
    for first, last in spans:
        if last - first >= _SHORT or first <= phrase.last <= last or not _ends_well(sentence, last):
            continue
        if tokens[first - 1].pos in ("ADP", "ADV", "SCONJ") or tokens[first - 1].text == ",":
            continue  # "up against a wall", "down while on a phone", "in the air, under his feet"
        if is_left_alone(sentence, first, last):
            continue
        if first == phrase.last + 1:
            ways.append([(phrase.first, last, described)])
        elif not phrase.first - 2 <= first - 1 <= phrase.last:
            ways.append([change, (first - 1, last, tokens[first - 1].text)])
    for changes in ways:
        text, edit = rewrite(sentence, sorted(changes), "add_att")
        yield Miss(caption, "add", edit, text)
