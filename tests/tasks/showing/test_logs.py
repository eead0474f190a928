"""Log lines for a collector: one JSON object each, with the fields of what they are of, and without known secrets."""

from __future__ import annotations

import json
import logging

import pytest

from counterfoil.tasks.showing.logs import FORMAT, log_event, logging_of, show_logs


@pytest.fixture
def lines(monkeypatch, capsys):
    """What was logged since `show_logs`, read as JSON."""
    monkeypatch.setenv(FORMAT, "json")
    yield lambda: [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    monkeypatch.delenv(FORMAT)
    show_logs()


def test_a_line_says_what_it_is_of(lines):
    show_logs()
    with logging_of(run="r1", stage="geometry.rule", shard=3):
        logging.getLogger("counterfoil.storage").warning("damaged\n%s", "here")
    log_event("made", {"accepted": {"geometry.rule": 2}})
    first, second = lines()
    assert (first["level"], first["run"], first["stage"], first["shard"]) == ("warning", "r1", "geometry.rule", 3)
    assert first["message"] == "damaged\nhere"
    assert second["accepted"] == {"geometry.rule": 2}
    assert "run" not in second


def test_keys_of_the_environment_and_passwords_of_addresses_are_hidden_in_text_fields_and_traces(lines, monkeypatch):
    show_logs()
    monkeypatch.setenv("ACME_API_KEY", "sk-acme-4711-xyz")
    monkeypatch.setenv("DB_PASSWORD", "hunter2hunter2")
    try:
        raise ValueError("header Bearer sk-acme-4711-xyz")
    except ValueError:
        logging.getLogger("counterfoil.llm").exception("hunter2hunter2 refused")
    log_event("at postgresql://me:s3cret@host/db", {"store": "postgresql://me:s3cret@host/db", "k": "sk-acme-4711-xyz"})
    said = json.dumps(lines())
    for secret in ("sk-acme", "hunter2", "s3cret"):
        assert secret not in said
    assert "Bearer ***" in said


def test_control_characters_of_foreign_text_are_written_in_ascii(lines):
    show_logs()
    log_event("red \x1b[31m and \u202e", {})
    (line,) = lines()
    assert line["message"] == "red \x1b[31m and \u202e"


def test_lines_for_people_stay_as_they_were(capsys):
    show_logs()
    logging.getLogger("counterfoil.storage").warning("a file is damaged")
    log_event("not for people", {})
    assert capsys.readouterr().err == "counterfoil.storage: a file is damaged\n"
