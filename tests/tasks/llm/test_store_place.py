"""Where answers are kept: as the recipe says, else the environment, else beside a dataset that is a folder."""

from __future__ import annotations

import pytest

from counterfoil.tasks.engine.process import find_answers_folder
from counterfoil.tasks.llm import open_author
from counterfoil.tasks.llm.errors import AuthorUnavailable
from counterfoil.tasks.llm.settings import AuthorSettings
from counterfoil.tasks.llm.store.spending import STORE_KEY, require_store

AUTHOR = {"kind": "openai", "model": "gpt-4o"}


def test_answers_lie_beside_a_dataset_that_is_a_folder(monkeypatch):
    monkeypatch.delenv(STORE_KEY, raising=False)
    assert (
        require_store(AuthorSettings(**AUTHOR), find_answers_folder("data/night")) == "data/night/work/answers.sqlite"
    )


def test_an_author_of_a_dataset_in_an_object_store_needs_a_place_for_its_answers(monkeypatch):
    monkeypatch.delenv(STORE_KEY, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    assert find_answers_folder("s3://bucket/night") is None
    with pytest.raises(AuthorUnavailable, match="COUNTERFOIL_STORE"):
        open_author(AUTHOR, work=find_answers_folder("s3://bucket/night"))


def test_the_environment_names_a_store_where_the_recipe_names_none(monkeypatch, tmp_path):
    monkeypatch.setenv(STORE_KEY, "postgresql+psycopg://me@host/answers")
    assert require_store(AuthorSettings(**AUTHOR), tmp_path) == "postgresql+psycopg://me@host/answers"
    assert require_store(AuthorSettings(**AUTHOR, store="mine.sqlite"), tmp_path) == "mine.sqlite"
