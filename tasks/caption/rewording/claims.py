"""What a caption claims, however it is put: a graph of its words, in which the ways of saying one thing fall together.

Things and acts are nodes; who does what to whom, what has which quality and what is where are edges. "A man riding a
horse", "a man is riding a horse", "there is a man who rides a horse" and "a horse being ridden by a man" are one graph;
so are "a table with a cat on it" and "a cat on a table", or "a dog beside a cat" and "a cat next to a dog". Every word
that is no article, auxiliary or relative pronoun is in it: nothing can be lost or come without a difference.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from counterfoil.tasks.caption.rewording.alike import PREPOSITIONS, find_alike
from counterfoil.tasks.caption.words.forms import find_lemma
from counterfoil.tasks.caption.words.lists import COLLECTIVE, MEASURES
from counterfoil.tasks.caption.words.parse import Sentence
from counterfoil.tasks.caption.words.spatial import PHRASES

ROUNDS = 4
"""How far around a word its neighbours tell it from another of the same name."""
TURNED = {
    "to the right of": "to the left of",
    "on the right of": "on the left of",
    "on the right side of": "on the left side of",
    "below": "above",
    "behind": "in front of",
}
"""What says the same from the other side."""
MUTUAL = frozenset({"next to", "near"})
"""What holds either way round, in the wording that stands for all of its kind."""
BE = frozenset({"is", "are", "'s", "being"})
_RELATIVES = frozenset({"that", "who", "which"})
_SILENT = frozenset({"a", "an"})
_WITHIN = frozenset({"compound", "amod", "nummod", "nmod", "poss", "det", "predet", "quantmod"})
"""Relations inside a noun phrase. A small model takes the one for the other."""
_LOST = frozenset({"dep", "intj", "meta", "parataxis"})
_LONG = tuple(phrase for phrase in {*PHRASES, *PREPOSITIONS} if " " in phrase)


class UnclearError(ValueError):
    """The caption cannot be read as claims; the message says why."""


@dataclass(frozen=True)
class Claims:
    """A caption's graph: names of its words and edges between them."""

    names: tuple[str, ...]
    edges: tuple[tuple[int, str, int], ...]

    def sign(self) -> Counter[str]:
        """What is the same of two graphs that are the same but for order (Weisfeiler and Leman's refinement)."""
        labels = list(self.names)
        for _ in range(ROUNDS):
            around: dict[int, list[str]] = defaultdict(list)
            for a, name, b in self.edges:
                around[a].append(f">{name} {labels[b]}")
                around[b].append(f"<{name} {labels[a]}")
            labels = [
                hashlib.blake2b(f"{label}|{sorted(around[i])}".encode(), digest_size=12).hexdigest()
                for i, label in enumerate(labels)
            ]
        return Counter(labels)

    def list_said(self) -> Counter[str]:
        """The claims one by one, for a message."""
        said = Counter(f"{self.names[a]} {name} {self.names[b]}" for a, name, b in self.edges)
        return said + Counter(self.names)


def claim_alike(one: Claims, other: Claims) -> bool:
    """Whether two captions claim the same."""
    return len(one.names) == len(other.names) and one.sign() == other.sign()


def tell_apart(one: Claims, other: Claims) -> str:
    """A claim that one makes and the other does not."""
    for a, b, whose in ((one, other, "lost"), (other, one, "added")):
        odd = a.list_said() - b.list_said()
        if odd:
            return f"{next(iter(sorted(odd)))!r} is {whose}"
    return "the same words belong together otherwise"


def read_claims(sentence: Sentence) -> Claims:
    """What the caption claims.

    Raises:
        UnclearError: it is no one sentence or phrase that can be read.
    """
    return _Reader(sentence).read()


class _Reader:
    def __init__(self, sentence: Sentence) -> None:
        self.sentence, self.tokens = sentence, sentence.tokens
        self.below: dict[int, list[int]] = defaultdict(list)
        for i, token in enumerate(self.tokens):
            if token.head != i:
                self.below[token.head].append(i)
        self.gone: set[int] = {
            i for i, t in enumerate(self.tokens) if t.dep == "punct" or not any(map(str.isalnum, t.text))
        }
        self.stands: dict[int, int] = {}
        """What stands for a word that names nothing by itself."""
        self.edges: list[tuple[int, str, int]] = []
        self.phrases: dict[int, tuple[str, int]] = {}
        """Of a preposition's last word: the whole phrase, and its first word."""

    def read(self) -> Claims:
        roots = [i for i, t in enumerate(self.tokens) if t.head == i]
        if len(roots) != 1:
            raise UnclearError("it is no one sentence")
        if any(t.dep in _LOST for t in self.tokens):
            raise UnclearError("the parser does not know how it hangs together")
        if not any(i not in self.gone for i in range(len(self.tokens))):
            raise UnclearError("it says nothing")
        self._find_phrases()
        self._drop()
        self._join()
        self._state()
        kept = [i for i in range(len(self.tokens)) if i not in self.gone]
        place = {i: n for n, i in enumerate(kept)}
        edges = []
        for a, name, b in self.edges:
            a, b = self._resolve(a), self._resolve(b)
            if a in place and b in place and a != b:
                edges.append((place[a], name, place[b]))
        return Claims(tuple(self._name(i) for i in kept), tuple(sorted(set(edges))))

    def _resolve(self, i: int) -> int:
        for _ in self.tokens:
            if i not in self.stands:
                return i
            i = self.stands[i]
        raise UnclearError("it speaks of itself")

    def _name(self, i: int) -> str:
        token = self.tokens[i]
        word = token.text.lower()
        if token.tag.startswith("VB") and token.dep not in _WITHIN:
            past = " (past)" if token.tag == "VBD" else ""
            return find_alike(find_lemma(token), "verbs") + past
        part = {"NOUN": "nouns", "PROPN": "nouns", "ADJ": "adjectives", "ADV": "adverbs"}.get(token.pos, "")
        return find_alike(word, part)

    def _find_phrases(self) -> None:
        """Prepositions of several words: "in front of"."""
        words = self.sentence.words()
        i = 0
        while i < len(words):
            found = next(
                (p for p in sorted(_LONG, key=lambda p: -len(p.split())) if words[i : i + len(p.split())] == p.split()),
                None,
            )
            if found is None or self.tokens[i].pos not in ("ADP", "ADV", "ADJ", "SCONJ", "DET", "NOUN", "VERB"):
                i += 1
                continue
            last = i + len(found.split()) - 1
            if self.tokens[last].pos == "ADP" and any(self.tokens[c].dep == "pobj" for c in self.below[last]):
                inside = range(i, last + 1)
                heads = [self.tokens[k].head for k in inside if self.tokens[k].head not in inside]
                if len(heads) == 1 and all(
                    c in inside or self.tokens[c].dep in ("pobj", "punct") for k in inside for c in self.below[k]
                ):
                    self.phrases[last] = found, heads[0]
                    self.gone.update(inside)
            i = last + 1

    def _drop(self) -> None:
        """Words that name nothing: articles, "is" before what is said, "there", relative pronouns, "being", "by"."""
        for i, token in enumerate(self.tokens):
            word = token.text.lower()
            if (
                (token.dep in ("det", "predet") and word in _SILENT)
                or token.dep == "expl"
                or (word in BE and token.dep in ("aux", "auxpass"))
            ):
                self.gone.add(i)
            elif word in _RELATIVES and token.tag in ("WDT", "WP") and self._is_relative(token.head):
                clause = token.head
                self.gone.add(i)
                self.stands[i] = self.tokens[clause].head
            elif token.dep == "cc" and word in ("and", "&"):
                self.gone.add(i)

    def _is_relative(self, verb: int) -> bool:
        return self.tokens[verb].dep == "relcl" and self.tokens[verb].head < verb

    def _join(self) -> None:
        """What hangs on "is" or on a measure ("a group of people") hangs on what that is said of."""
        for i, token in enumerate(self.tokens):
            below = self.below[i]
            if token.lemma == "be" and token.dep not in ("aux", "auxpass") and token.text.lower() in BE:
                there = any(self.tokens[c].dep == "expl" for c in below)
                subject = next(
                    (c for c in below if self.tokens[c].dep in ("nsubj", "attr" if there else "nsubj")), None
                )
                if subject is None:
                    subject = next((c for c in below if self.tokens[c].dep == "attr"), None)
                if subject is None:
                    raise UnclearError("nobody knows what 'is' is said of")
                self.gone.add(i)
                self.stands[i] = self._measured(subject)
        for i in range(len(self.tokens)):
            if self._measured(i) != i:
                # What is in it, and how it is counted, stays with the measure.
                self.edges.append((i, "of", self._measured(i)))

    def _measured(self, i: int) -> int:
        """What a measure is of."""
        token = self.tokens[i]
        if token.pos == "NOUN" and token.text.lower() in MEASURES | COLLECTIVE:
            for c in self.below[i]:
                if self.tokens[c].text.lower() == "of" and self.tokens[c].dep == "prep":
                    for d in self.below[c]:
                        if self.tokens[d].dep == "pobj" and self.tokens[d].text.lower() in self._plurals(d):
                            return d
        return i

    def _plurals(self, i: int) -> tuple[str, ...]:
        token = self.tokens[i]
        return (token.text.lower(),) if token.tag in ("NNS", "NNPS", "NN") else ()

    def _members(self, i: int) -> list[int]:
        """What is joined with the word by "and", itself first."""
        found = [i]
        for each in found:
            found += [c for c in self.below[each] if self.tokens[c].dep == "conj"]
        return sorted(found)

    def _state(self) -> None:
        for i, token in enumerate(self.tokens):
            if token.head == i or token.dep in ("conj", "cc", "expl", "punct"):
                if token.dep == "cc" and i not in self.gone:
                    self.edges.append((token.head, "or", i))
                continue
            if i in self.gone and i not in self.stands and i not in self.phrases and not self._is_gone_head(i):
                continue
            for one in self._members(i):
                self._relate(token.head, token.dep, one)
        self._state_joined()
        self._bring_back()

    def _is_gone_head(self, i: int) -> bool:
        return self.tokens[i].lemma == "be"

    def _state_joined(self) -> None:
        for i, token in enumerate(self.tokens):
            if token.dep == "conj":
                first = token.head
                while self.tokens[first].dep == "conj":
                    first = self.tokens[first].head
                a, b = self._measured(first), self._measured(i)
                self.edges += [(a, "and", b), (b, "and", a)]
                if self.tokens[i].pos == "VERB" and not any(
                    self.tokens[c].dep in ("nsubj", "nsubjpass") for c in self.below[i]
                ):
                    for subject in self._list_subjects(first):
                        self.edges.append((i, "agent", subject))

    def _list_subjects(self, verb: int) -> Iterator[int]:
        token = self.tokens[verb]
        for c in self.below[verb]:
            if self.tokens[c].dep == "nsubj":
                yield from map(self._measured, self._members(c))
        if token.dep == "acl" and token.tag == "VBG":
            yield self._measured(token.head)

    def _heads(self, head: int, i: int) -> list[int]:
        """What a word behind a list belongs to: all of it, where the others have nothing of their own."""
        first = head
        while self.tokens[first].dep == "conj":
            first = self.tokens[first].head
        members = self._members(first)
        if len(members) == 1 or i < head or self.tokens[head].pos not in ("NOUN", "PROPN"):
            return [self._measured(head) if i > head else head]
        if i < members[-1] or (i > head and head != members[-1] and head != first):
            return [self._measured(head)]
        return [self._measured(each) for each in members]

    def _relate(self, head: int, dep: str, i: int) -> None:
        token = self.tokens[i]
        if dep == "pobj":
            self._place(head, i)
        elif dep in ("nsubj", "csubj"):
            if head in self.stands:
                return  # "is": what is said of it hangs on it already
            self.edges.append((head, "agent", self._measured(i)))
        elif dep == "nsubjpass":
            self.edges.append((head, "patient", self._measured(i)))
        elif dep in ("dobj", "dative"):
            self.edges.append((head, "patient" if dep == "dobj" else dep, i))
        elif dep == "relcl":
            if self.stands.get(i) is None:
                return  # its relative pronoun says how it hangs on the noun
            self.stands[i] = self._measured(head)
        elif dep == "acl" and token.tag in ("VBG", "VBN", "VBD") and not self._has_to(i):
            name = "agent" if token.tag == "VBG" and not self._is_being(i) else "patient"
            self.edges += [(i, name, each) for each in self._heads(head, i)]
        elif dep == "acomp" and head in self.stands:
            self.edges.append((head, "mod", i))
        elif dep == "attr" and head in self.stands:
            if self._resolve(head) != self._measured(i):
                self.edges.append((head, "is", i))
        elif dep in _WITHIN:
            self.edges.append((head, "mod", i))
        elif dep in ("prep", "agent") and (
            i in self.phrases or any(self.tokens[c].dep in ("pobj", "pcomp") for c in self.below[i])
        ):
            if not any(self.tokens[c].dep == "pobj" for c in self.below[i]):
                self.edges.append((head, "prep", i))
            else:
                self.gone.add(i)
        elif dep in ("advmod", "prt", "prep", "npadvmod"):
            self.edges += [(each, "how", i) for each in self._heads(head, i)]
        else:
            self.edges.append((head, dep, i))

    def _has_to(self, i: int) -> bool:
        return any(self.tokens[c].text.lower() == "to" and self.tokens[c].dep == "aux" for c in self.below[i])

    def _is_being(self, i: int) -> bool:
        return any(self.tokens[c].dep == "auxpass" for c in self.below[i])

    def _place(self, preposition: int, thing: int) -> None:
        """What stands where to what."""
        token = self.tokens[preposition]
        words, head = self.phrases.get(preposition, (token.text.lower(), token.head))
        if token.dep == "agent" and words == "by":
            self.edges.append((head, "agent", self._measured(thing)))
            return
        if words == "of" and self._measured(head) != head:
            return
        if self._is_thing(thing):
            # "Under construction" is nowhere beneath anything.
            words = find_alike(words, "prepositions")
        heads = self._heads(head, preposition)
        thing = self._measured(thing)
        for each in heads:
            if words in TURNED:
                self.edges.append((thing, TURNED[words], each))
            else:
                self.edges.append((each, words, thing))
                if words in MUTUAL:
                    self.edges.append((thing, words, each))

    def _is_thing(self, i: int) -> bool:
        token = self.tokens[i]
        return token.tag != "NN" or any(self.tokens[c].dep in ("det", "poss", "nummod") for c in self.below[i])

    def _bring_back(self) -> None:
        """What "it" is that something is in or on: a table with a cat on it has a cat on the table."""
        self._take_having()
        its = [i for i, t in enumerate(self.tokens) if t.text.lower() in ("it", "them") and t.dep == "pobj"]
        for it in its:
            held = [edge for edge in self.edges if edge[1] == "with" and edge[0] < it]
            hosts = {edge[0] for edge in held}
            if len(hosts) != 1:
                return
            host = next(iter(hosts))
            guests = {edge[2] for edge in held}
            new = []
            for a, name, b in self.edges:
                if name == "with" and a == host:
                    continue
                if b == it:
                    # Be it read as the table's or as the cat's.
                    new += [(guest, name, host) for guest in guests] if a in (host, *guests) else [(a, name, host)]
                elif a == it:
                    raise UnclearError("'it' has something said of it")
                else:
                    new.append((a, name, b))
            self.edges = new
            self.gone.add(it)

    def _take_having(self) -> None:
        """A kitchen that has a sink is one with a sink."""
        for i, token in enumerate(self.tokens):
            if token.lemma != "have" or token.text.lower() not in ("has", "have", "having") or token.dep in ("aux",):
                continue
            owners = [b for a, name, b in self.edges if a == i and name == "agent"]
            things = [b for a, name, b in self.edges if a == i and name == "patient"]
            others = [e for e in self.edges if i in (e[0], e[2]) and e[1] not in ("agent", "patient")]
            if not owners or not things:
                continue
            self.edges = [e for e in self.edges if i not in (e[0], e[2])]
            self.edges += [(owner, "with", thing) for owner in owners for thing in things]
            self.edges += [(owners[0], name, b) if a == i else (a, name, owners[0]) for a, name, b in others]
            self.gone.add(i)
