"""The command line reads the options of the command that is asked for alone, and nobody notices."""

from __future__ import annotations

import re

import pytest
from typer.testing import CliRunner

from counterfoil.flows.cli import app


@pytest.mark.parametrize("words", [["run"], ["recipes"], ["new"], ["new", "domain"], []])
def test_help_is_the_same_as_where_all_commands_are_read(counterfoil, words):
    read = CliRunner().invoke(app, [*words, "--help"]).output
    said = counterfoil(*words, "--help").stdout
    assert find_words(said) == find_words(read) != set()


def find_words(text: str) -> set[str]:
    """Options and arguments."""
    return {*re.findall(r"--[a-z-]+|\{[a-z]+\}", text)}


def test_what_is_no_command_is_told_with_what_there_is(counterfoil):
    done = counterfoil("rnu", check=False)
    assert done.returncode == 2 and "No such command 'rnu'" in done.stderr
