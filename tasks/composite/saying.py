"""How two captions are one text, with the places of the halves or without; and all ways in which it can be read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from counterfoil.tasks.contract.wording import STOPS

BESIDE = ("On the left: ", "On the right: ")
ABOVE = ("At the top: ", "At the bottom: ")


def name_places(beside: bool) -> tuple[str, str]:
    """What stands before the caption of each half where its place is said."""
    return BESIDE if beside else ABOVE


def end_sentence(text: str) -> str:
    """A caption with a stop at its end.

    >>> end_sentence("two dogs ")
    'two dogs.'
    """
    text = text.strip()
    return text if text.endswith(STOPS) else f"{text}."


def join_captions(captions: Sequence[str], first: int, places: tuple[str, str] | None) -> str:
    """Both captions, the ``first`` half's before the other's; with ``places`` each says where it belongs.

    >>> join_captions(["A dog.", "Two cats"], 1, BESIDE)
    'On the right: Two cats. On the left: A dog.'
    """
    said = [(places[at] if places else "") + end_sentence(captions[at]) for at in (0, 1)]
    return f"{said[first]} {said[1 - first]}"


def list_readings(
    text: str, places: tuple[str, str], split: Callable[[str], Sequence[str]]
) -> Iterator[tuple[str, str]]:
    """What a text may say of the first half and of the second: by the places that it names, or else with every cut
    between two sentences and in either order."""
    for first, second in ((0, 1), (1, 0)):
        if text.startswith(places[first]) and f" {places[second]}" in text:
            one, _, other = text.removeprefix(places[first]).partition(f" {places[second]}")
            yield (one, other) if first == 0 else (other, one)
            return
    sentences = split(text)
    for cut in range(1, len(sentences)):
        one, other = " ".join(sentences[:cut]), " ".join(sentences[cut:])
        yield one, other
        yield other, one
