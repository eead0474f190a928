"""Doer and done-to, or the two sides of a place, change parts; what "and" joins changes order; a word gives way to one
that says the same."""

from __future__ import annotations

from collections.abc import Iterator

from counterfoil.tasks.caption.rewording.alike import WORDS, list_alike
from counterfoil.tasks.caption.rewording.claims import TURNED
from counterfoil.tasks.caption.rewording.phrases import WITHIN, Caption, Frame, Reworded
from counterfoil.tasks.caption.words.forms import choose_article, find_lemma, inflect_verb
from counterfoil.tasks.caption.words.lists import PICTURES, PRONOUNS
from counterfoil.tasks.caption.words.spatial import PHRASES

PASSIVE, OWN = frozenset(WORDS["verbs"]["passive"]), frozenset(WORDS["verbs"]["own"])
HOLDERS = frozenset(WORDS["places"]["holders"])
_IN_ON = frozenset({"on", "in", "inside", "on top of", "under", "underneath", "beneath", "behind", "above"})
_WITH_TOOLS = frozenset({"hit", "cut", "slice", "eat", "catch"})
_MIRRORS = {**TURNED, **{v: k for k, v in TURNED.items()}, "next to": "next to", "beside": "beside", "near": "near"}


def voices(caption: Caption) -> Iterator[Reworded]:
    frame = caption.frame
    if (
        frame is None
        or frame.verb is None
        or any(t.text.lower() in PRONOUNS or t.tag == "PRP$" for t in caption.tokens)
    ):
        return
    verb = frame.verb
    token = caption.tokens[verb]
    if caption.below(verb, "conj", "cc", "neg", "dative", "xcomp", "ccomp", "advcl", "prt"):
        return
    if find_lemma(token) not in PASSIVE:
        return
    if token.tag in ("VBG", "VBZ", "VBP"):
        yield from _say_passive(caption, frame, verb)
    elif token.tag == "VBN":
        yield from _say_active(caption, frame, verb)


def _say_passive(caption: Caption, frame: Frame, verb: int) -> Iterator[Reworded]:
    objects = caption.below(verb, "dobj")
    if len(objects) != 1 or objects[0] < verb or caption.tokens[objects[0]].text.lower() in OWN:
        return
    thing = objects[0]
    first, last = caption.span(thing)
    core = caption.core(thing)
    if first != verb + 1 or core != (first, last) or caption.tokens[thing].pos not in ("NOUN", "PROPN"):
        return
    doer = caption.with_article(caption.text(frame.start, frame.at - 1), frame.head)
    rest, object_text = caption.text(last + 1, caption.count - 1), caption.text(first, last)
    named = caption.with_article(object_text, thing)
    if not doer or not named or len(rest.split()) > 5 or "," in object_text + rest + doer:
        return
    if rest.startswith("with ") and find_lemma(caption.tokens[verb]) not in _WITH_TOOLS:
        return
    be = "are" if caption.many(thing) else "is"
    done = inflect_verb(find_lemma(caption.tokens[verb]), "VBN")
    said = " ".join(filter(None, ("being", done, rest, "by", doer)))
    old = caption.tokens[verb].text
    yield from caption.make("voice", old, f"{be} being {done}", named, be, said)
    if caption.is_indefinite(thing):
        yield from caption.make("voice", old, f"being {done}", named, said)


def _say_active(caption: Caption, frame: Frame, verb: int) -> Iterator[Reworded]:
    agents = [d for c in caption.below(verb, "agent") for d in caption.below(c, "pobj")]
    if len(agents) != 1:
        return
    by = caption.tokens[agents[0]].head
    first, last = caption.span(agents[0])
    if last != caption.count - 1 or first != by + 1 or caption.core(agents[0]) != (first, last):
        return
    rest = caption.text(verb + 1, by - 1)
    doer, thing = caption.text(first, last), caption.text(frame.start, frame.at - 1)
    if "," in doer + thing + rest or not doer:
        return
    be = "are" if caption.many(agents[0]) else "is"
    doing = inflect_verb(find_lemma(caption.tokens[verb]), "VBG")
    named = caption.with_article(doer, agents[0])
    old = f"{caption.tokens[verb].text} by"
    yield from caption.make("voice", old, doing, doer, doing, thing, rest)
    if named:
        yield from caption.make("voice", old, f"{be} {doing}", named, be, doing, thing, rest)


def _find_place(caption: Caption, frame: Frame) -> tuple[str, int, int, int] | None:
    """The preposition that is said of the thing and ends the caption: its words, its first and last, its noun."""
    verb_at = frame.verb if frame.verb is not None else frame.at
    words = caption.sentence.words()[: caption.count]
    for at in range(max(frame.at - 1, 0), min(caption.count - 1, verb_at + 3)):
        for phrase in sorted(PHRASES, key=len, reverse=True):
            size = len(phrase.split())
            if words[at : at + size] != phrase.split():
                continue
            last = at + size - 1
            nouns = caption.below(last, "pobj")
            if (
                len(nouns) == 1
                and caption.span(nouns[0])[1] == caption.count - 1
                and caption.span(nouns[0])[0] == last + 1
            ):
                return phrase, at, last, nouns[0]
            break
    return None


def mirrors(caption: Caption) -> Iterator[Reworded]:
    """A vase in front of a chair: a chair behind a vase."""
    frame = caption.frame
    found = _find_place(caption, frame) if frame else None
    if frame is None or found is None or frame.verb is not None or caption.has_pronoun():
        return
    phrase, at, last, noun = found
    other = _MIRRORS.get(phrase)
    bare = at == frame.at or (at == frame.at + 1 and caption.tokens[frame.at].text.lower() in ("is", "are"))
    if other is None or not bare or caption.core(noun) != caption.span(noun):
        return
    one, two = caption.text(frame.start, frame.at - 1), caption.text(last + 1, caption.count - 1)
    if caption.core(frame.head) != (frame.start, frame.at - 1):
        return
    named = caption.with_article(two, noun)
    if not named or not caption.with_article(one, frame.head):
        return
    if not caption.is_indefinite(noun) or not caption.is_indefinite(frame.head):
        return
    be = "are" if caption.many(noun) else "is"
    verb = [be] if frame.form == "clause" else []
    yield from caption.make("mirror", phrase, other, two if not verb else named, *verb, other, one)
    if frame.form == "there":
        yield from caption.make("mirror", phrase, other, "there", be, named, other, one)


def turns(caption: Caption) -> Iterator[Reworded]:
    """A cat on a table: a table with a cat on it."""
    frame = caption.frame
    found = _find_place(caption, frame) if frame else None
    if frame is None or found is None or (frame.form == "clause" and frame.verb is None) or caption.has_pronoun():
        return
    phrase, at, last, noun = found
    head = find_lemma(caption.tokens[noun])
    if phrase not in _IN_ON or head not in HOLDERS or caption.core(noun) != caption.span(noun):
        return
    if caption.below(frame.head, "conj") or (
        frame.verb is not None and caption.tokens[frame.verb].tag not in ("VBG", "VBN")
    ):
        return
    if frame.verb is not None and caption.below(frame.verb, "dobj", "conj", "advcl"):
        return
    if not caption.is_indefinite(frame.head) or not caption.is_indefinite(noun):
        return
    before = frame.verb if frame.verb is not None else at
    doing = caption.text(before, at - 1) if before < at else ""
    guest = caption.text(frame.start, frame.at - 1)
    guest, host = caption.with_article(guest, frame.head), caption.text(last + 1, caption.count - 1)
    if not guest or "with" in guest.split() or "," in guest + host:
        return
    it = "them" if caption.many(noun) else "it"
    yield from caption.make("turn", phrase, f"with ... {phrase} {it}", host, "with", guest, doing, phrase, it)


def orders(caption: Caption) -> Iterator[Reworded]:
    for i, token in enumerate(caption.tokens[: caption.count]):
        if token.dep != "conj":
            continue
        first = token.head
        joined = caption.below(first, "cc")
        if len(joined) != 1 or caption.tokens[joined[0]].text.lower() != "and" or caption.has_pronoun():
            continue
        if {token.pos, caption.tokens[first].pos} <= {"NOUN", "PROPN"} and caption.tokens[first].dep not in WITHIN:
            yield from _change(caption, first, i, joined[0])
        elif token.pos == caption.tokens[first].pos == "ADJ" and token.dep == "conj":
            noun = find_lemma(caption.tokens[caption.tokens[first].head])
            if noun not in PICTURES and caption.tokens[first].dep == "amod":
                yield from _exchange(caption, (first, first), (i, i), joined[0])


def _change(caption: Caption, a: int, b: int, cc: int) -> Iterator[Reworded]:
    one, two = caption.core(a), caption.core(b)
    if one[1] < one[0] or two[1] < two[0] or one[1] + 1 != cc or cc + 1 != two[0]:
        return
    above = caption.tokens[caption.tokens[a].head]
    if caption.tokens[a].dep == "pobj" and above.text.lower() == "of":
        return  # "a chunk of butter and a spoon", "cream of wheat and milk"
    fields = {caption.lexicon.find_field(find_lemma(caption.tokens[each]), "n") for each in (a, b)}
    behind = [c for each in (a, b) for c in caption.below(each) if c > two[1]]
    if any(caption.tokens[c].dep in ("acl", "relcl") for c in behind) and len(fields) > 1:
        return  # "a bus and a man walking": the man alone
    if any(caption.tokens[c].text.lower() in ("with", "that", "who", "which") for c in behind):
        return
    determined = [bool(caption.below(each, "det", "nummod", "poss")) for each in (a, b)]
    if determined[0] and not determined[1]:
        if one[0] + 1 != a or two[0] != b or caption.tokens[one[0]].dep != "det":
            return
        # "A man and woman" share their article.
        if (caption.tokens[a].tag, caption.tokens[b].tag) != ("NN", "NN"):
            return
        one = a, a
        article = caption.tokens[a - 1].text.lower()
        if article in ("a", "an") and choose_article(caption.tokens[b].text) != article:
            return
    elif not determined[0] and not determined[1]:
        modified = any(caption.tokens[c].dep in ("amod", "compound", "nmod") for c in caption.below(a))
        if modified or caption.many(a) != caption.many(b):
            return
    yield from _exchange(caption, one, two, cc)


def _exchange(caption: Caption, one: tuple[int, int], two: tuple[int, int], cc: int) -> Iterator[Reworded]:
    a, b = caption.text(*one), caption.text(*two)
    if "-" in a + b or (one[0] and caption.tokens[one[0] - 1].text == "-"):
        return
    head, tail = caption.text(0, one[0] - 1), caption.text(two[1] + 1, caption.count - 1)
    # An article before the first of two qualities goes by its sound.
    if head.split()[-1:] in (["a"], ["an"], ["A"], ["An"]):
        article = choose_article(b)
        head = " ".join([*head.split()[:-1], article])
    yield from caption.make("order", f"{a} and {b}", f"{b} and {a}", head, b, caption.tokens[cc].text, a, tail)


def synonyms(caption: Caption) -> Iterator[Reworded]:
    words = caption.sentence.words()
    i = 0
    while i < caption.count:
        used = 1
        for old, first, last, part in _list_words(caption, words, i):
            used = last - first + 1
            for new in _list_forms(caption, old, first, part):
                yield from _replace(caption, first, last, new)
            break
        i += used


def _list_words(caption: Caption, words: list[str], i: int) -> Iterator[tuple[str, int, int, str]]:
    token = caption.tokens[i]
    for size in (2, 1):
        phrase = " ".join(words[i : i + size])
        if (
            list_alike(phrase, "prepositions")
            and caption.tokens[i + size - 1].pos == "ADP"
            and i + size - 1 < caption.count
        ):
            yield phrase, i, i + size - 1, "prepositions"
    if token.dep == "compound" or caption.below(i, "compound") or "-" in token.text:
        return
    if token.pos == "NOUN" and token.tag in ("NN", "NNS"):
        yield words[i], i, i, "nouns"
    elif token.pos == "ADJ" and token.tag == "JJ" and token.dep == "amod":
        yield words[i], i, i, "adjectives"
    elif token.pos == "VERB" and token.tag in ("VBG", "VBZ", "VBP") and token.dep not in ("amod", "compound"):
        yield find_lemma(token), i, i, "verbs"
    elif token.pos == "ADV" and token.dep == "advmod" and i == caption.count - 1:
        yield words[i], i, i, "adverbs"


def _list_forms(caption: Caption, old: str, i: int, part: str) -> list[str]:
    found = list_alike(old, part)
    return [inflect_verb(each, caption.tokens[i].tag) for each in found] if part == "verbs" else found


def _replace(caption: Caption, first: int, last: int, new: str) -> Iterator[Reworded]:
    head, tail = caption.text(0, first - 1), caption.text(last + 1, caption.count - 1)
    if head.split()[-1:] in (["a"], ["an"], ["A"], ["An"]):
        head = " ".join([*head.split()[:-1], choose_article(new)])
    old = caption.text(first, last)
    yield from caption.make("synonym", old, new, head, new, tail)
