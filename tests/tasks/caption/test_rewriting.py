"""``caption.concrete`` by a language model, whose answers are scripted: what is accepted is verified like any other."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from counterfoil import prompts
from counterfoil.storage.rows import Anchor, Contrast, Edit, Reject
from counterfoil.tasks.caption.families.concrete import write_concrete
from counterfoil.tasks.caption.families.exchange import verify_exchange
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.family import Draft
from counterfoil.tasks.engine.registry import load_domain
from counterfoil.tasks.engine.rows import form_contrast
from counterfoil.tasks.llm.author import Author, open_author
from tests.needing import skip_without
from tests.tasks.caption.conftest import Made
from tests.tasks.llm.server import Server, last_text

skip_without("spacy", reason="captions are parsed by an extra: pip install 'counterfoil[text]'")

CAPTIONS = ["A brown dog sits beside a bowl near two red trucks.", "The dog and a few trucks."]
WORDS = {
    "dog": "cat",
    "bowl": "bottle",
    "brown": "white",
    "sits": "stands",
    "two": "three",
    "red": "blue",
    "trucks": "cars",
}


class Model:
    """Puts the word of its table in the keyword's place; ``spoil`` may change the answer before it is sent."""

    def __init__(self) -> None:
        self.words = dict(WORDS)
        self.asked: list[str] = []
        self.spoil: Callable[[dict[str, str]], dict[str, str]] = lambda answer: answer

    def __call__(self, body: dict[str, Any]) -> str:
        text = last_text(body)
        self.asked.append(text)
        found = re.findall(r"^Caption: (.*) Keyword: (.*)$", text, re.MULTILINE)
        if not found:  # its answer broke the schema and was sent back
            return "{}"
        caption, keyword = found[-1]
        words = self.words[keyword]
        return json.dumps(self.spoil({"replacement": words, "caption": caption.replace(keyword, words, 1)}))


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture
def world(model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Anchor, Context[Any]]]:
    path = tmp_path / "pairs.jsonl"
    path.write_text(json.dumps({"captions": CAPTIONS}) + "\n")
    made = Made({"source": f"pairs:{path}", "negatives": 2, "top": 5})
    monkeypatch.setenv("OPENAI_API_KEY", "test")
    with Server(model) as server:
        section = {"kind": "openai", "model": "gpt-4o", "base_url": server.openai_url, "repair_attempts": 1}
        author = open_author(section, work=tmp_path)
        assert isinstance(author, Author)
        (anchor,) = made.anchors.values()
        yield anchor, replace(made.prepare(), llm=author)
        author.close()


def write(world: tuple[Anchor, Context[Any]]) -> tuple[list[Draft], list[Reject]]:
    made = list(write_concrete(*world))
    return [each for each in made if isinstance(each, Draft)], [each for each in made if isinstance(each, Reject)]


def test_keywords_of_the_plan_are_exchanged_and_pass_the_family_s_checks(world, model):
    anchor, context = world
    drafts, rejects = write(world)
    assert (len(drafts), rejects) == (2, [])
    family = load_domain("caption").families["caption.concrete"]
    for draft in drafts:
        assert family.verify(form_contrast(draft, family, anchor), anchor, context).passed
        (edit,) = draft.edits
        assert draft.text in [each.replace(edit.target, WORDS[edit.target]) for each in CAPTIONS]
        assert draft.provenance.author == "openai" and draft.provenance.cost_usd
    assert all(any(f"- {each}" in text for each in CAPTIONS) for text in model.asked)


def test_the_keywords_are_asked_for_together(world):
    _, context = world
    rounds: list[int] = []
    ask_many = context.llm.ask_many

    def count(asks: Any) -> Any:
        rounds.append(len(asks))
        return ask_many(asks)

    context.llm.ask_many = count
    write(world)
    assert rounds == [2]


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda a: {**a, "caption": a["caption"].replace(" a ", " the ", 1)}, "only_named_words_changed"),
        (lambda a: {**a, "caption": a["caption"].removesuffix(".") + " at home."}, "only_named_words_changed"),
        (lambda a: {**a, "caption": CAPTIONS[0]}, "only_named_words_changed"),
    ],
)
def test_an_answer_that_changes_more_or_other_than_it_says_is_refused_and_told_why(world, model, spoil, reason):
    model.spoil = spoil
    drafts, rejects = write(world)
    assert drafts == [] and len(rejects) == 4
    assert all(reject.reasons[0].startswith(reason) and reject.provenance.cost_usd for reject in rejects)
    assert all(reason in text for text in model.asked[2:]) and len(model.asked) == 4


@pytest.mark.parametrize(("word", "reason"), [("animal", "excludes_original"), ("poodle", "excludes_original")])
def test_what_is_more_general_or_narrower_is_refused(world, model, word, reason):
    model.words |= {"dog": word}
    world = world[0], replace(world[1], settings=world[1].settings.model_copy(update={"negatives": 9}))
    _, rejects = write(world)
    of_the_dog = [each for each in rejects if " dog " not in (each.raw or "")]
    assert of_the_dog and all(each.reasons[0].startswith(reason) for each in of_the_dog)


def test_a_keyword_without_a_readable_answer_makes_room_for_the_next(world, model):
    first: set[str] = set()

    def spoil(answer: dict[str, str]) -> dict[str, str]:
        if len(first) < 2:
            first.add(answer["caption"])
        return {"nothing": ""} if answer["caption"] in first else answer

    model.spoil = spoil
    drafts, rejects = write(world)
    assert (len(drafts), len(rejects)) == (2, 2)
    assert not {draft.text for draft in drafts} & first


def test_the_prompt_s_own_examples_pass_what_answers_must_pass(world):
    _, context = world
    prompt = (Path(prompts.__file__).parent / "caption.concrete.md").read_text(encoding="utf-8")
    examples = re.findall(r"^Caption: (.*) Keyword: (.*)\n(\{.*\})$", prompt, re.MULTILINE)
    assert len(examples) == 12
    for caption, keyword, answer in examples:
        said = json.loads(answer)
        anchor = Anchor("a", "caption", "pairs", "1", "train", caption=caption, captions=(caption,))
        edits = (Edit("replace_obj", keyword, said["replacement"]),)
        row = Contrast("a", "caption.concrete", "negative", "text", text=said["caption"], edits=edits)
        assert verify_exchange(row, anchor, context).reasons == (), keyword


def test_without_concreteness_the_examples_are_of_all_types(world, model):
    anchor, context = world
    none = replace(context, settings=context.settings.model_copy(update={"concreteness": "none"}))
    list(write_concrete(anchor, none))
    assert all("behind a parked van" in text and "green bicycles" in text for text in model.asked)
