"""Where charts come from: files, made-up charts, descriptions; and how the splits are kept apart."""

import json
from dataclasses import replace

import pytest
from pydantic import ValidationError

from counterfoil.storage.rows import Anchor, Reject
from counterfoil.tasks.contract.domain import SourceError, SourceRow
from counterfoil.tasks.engine import rows as engine_rows
from counterfoil.tasks.flowchart.chart.serialise import write_code
from counterfoil.tasks.flowchart.domain import DOMAIN
from counterfoil.tasks.flowchart.drawing.rendering import parse
from counterfoil.tasks.flowchart.settings import FlowchartSettings
from counterfoil.tasks.flowchart.sources.files import SourceChart, read_charts
from counterfoil.tasks.flowchart.sources.procedural import make_charts
from counterfoil.tasks.llm.author import open_author
from tests.tasks.flowchart.conftest import CODE
from tests.tasks.llm.server import Fault, Server, last_text

SMALL = "flowchart TD\nA[one] --> B[two] --> C[three]"


def read(source, seed=7, limit=None, **more):
    settings = DOMAIN.settings_type.model_validate({"source": str(source), **more})
    return list(DOMAIN.read(settings, seed, limit))


def test_every_kind_of_file_is_read(tmp_path):
    (tmp_path / "a.mmd").write_text(SMALL)
    (tmp_path / "b.jsonl").write_text(
        json.dumps({"key": "k1", "mermaid": SMALL, "split": "test"})
        + "\n\n"
        + json.dumps({"code": f"```mermaid\n{SMALL}\n```"})
    )
    (tmp_path / "c.md").write_text(
        f"# Title\n\n```mermaid\n{SMALL}\n```\n\n```python\nx\n```\n\n  ~~~mermaid\n  {SMALL}\n  ~~~\n"
    )
    (tmp_path / "d.json").write_text(json.dumps({"wiki1": {"mermaid": SMALL, "qa": {}}, "wiki2": {"mermaid": SMALL}}))
    (tmp_path / "ignored.txt").write_text("nothing")
    rows = list(read_charts(str(tmp_path)))
    assert [row.source_id for row in rows] == ["a.mmd", "k1", "b.jsonl:3", "c.md#0", "c.md#1", "wiki1", "wiki2"]
    for row in rows:
        assert isinstance(row, SourceChart)
        assert [n.label for n in parse(row.code).nodes] == ["one", "two", "three"]
    assert rows[1].split == "test"


def test_rows_that_cannot_be_read_are_rejects_with_their_place(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text('{"mermaid": 3}\nnot json\n[1]\n' + json.dumps({"mermaid": SMALL}))
    rows = list(read_charts(str(path)))
    assert [type(row) for row in rows] == [Reject, Reject, Reject, SourceChart]
    assert [row.reasons[0].partition(":")[0] for row in rows[:3]] == ["no_code", "bad_json", "bad_record"]
    assert "line 2" in rows[1].reasons[0]


@pytest.mark.parametrize(
    "line",
    [
        json.dumps({"mermaid": "flowchart TD\nA[\ud800] --> B"}).encode(),
        json.dumps({"mermaid": SMALL, "key": "\udfff"}).encode(),
        b'{"mermaid": "flowchart TD\\nA[caf\xe9] --> B"}',
    ],
)
def test_a_line_that_is_no_text_is_a_reject_and_the_next_is_read(tmp_path, line):
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + line + b"\n" + json.dumps({"mermaid": SMALL}).encode())
    reject, chart = read_charts(str(path))
    assert isinstance(reject, Reject) and isinstance(chart, SourceChart)
    assert reject.reasons[0].startswith("bad_text: ") and reject.reject_id
    described = tmp_path / "d.jsonl"
    described.write_bytes(line.replace(b"mermaid", b"description"))
    (reject,) = read(f"descriptions:{described}")
    assert reject.reasons[0].startswith("bad_text: ")


@pytest.mark.parametrize("name", ["missing.mmd", "empty"])
def test_a_source_that_is_not_there_says_so(tmp_path, name):
    (tmp_path / "empty").mkdir()
    with pytest.raises(SourceError, match=name):
        read(f"charts:{tmp_path / name}")


@pytest.mark.parametrize("source", ["charts:", "procedural:x", "procedural:0", "coco:x", ""])
def test_a_wrong_source_is_refused(source):
    with pytest.raises(ValueError, match=r"charts:PATH, procedural:N, descriptions:PATH|whole number"):
        DOMAIN.find_source(FlowchartSettings(source=source))


def test_settings_refuse_unknown_keys():
    with pytest.raises(ValidationError, match="colour"):
        FlowchartSettings.model_validate({"colour": "red"})


def test_made_up_charts_are_the_same_for_any_count_and_differ_by_seed():
    some = list(make_charts(3, 7))
    assert list(make_charts(5, 7))[:3] == some
    assert [c for _, c in make_charts(3, 8)] != [c for _, c in some]
    for _, chart in some:
        assert parse(write_code(chart)).same_as(chart)


def test_splits_are_by_chart_and_by_seed_and_not_by_place(tmp_path):
    path = tmp_path / "x.jsonl"
    lines = [json.dumps({"key": f"k{i}", "mermaid": SMALL.replace("one", f"one {i}")}) for i in range(200)]
    path.write_text("\n".join(lines))
    splits = {row.source_id: row.split for row in read(f"charts:{path}")}
    assert 20 <= sum(s == "test" for s in splits.values()) <= 60
    path.write_text("\n".join(reversed(lines)))
    assert {row.source_id: row.split for row in read(f"charts:{path}")} == splits
    assert {row.source_id: row.split for row in read(f"charts:{path}", seed=8)} != splits


def test_no_triplet_of_a_test_chart_is_trained_on(tmp_path, context):
    tail = " --> D[four]"
    path = tmp_path / "x.jsonl"
    path.write_text(
        "\n".join(
            [
                json.dumps({"key": "train", "mermaid": SMALL + tail, "split": "train"}),
                # The same triplet with other ids and in another order.
                json.dumps(
                    {"key": "test", "mermaid": "flowchart LR\nz[three]\nx[one] --> y[two] --> z", "split": "test"}
                ),
                json.dumps({"key": "dev", "mermaid": SMALL + " --> E[five]", "split": "dev"}),
            ]
        )
    )
    made = {row.source_id: engine_rows.make_anchors(DOMAIN, row, context) for row in read(f"charts:{path}")}
    anchors = {key: [a for a in rows if isinstance(a, Anchor)] for key, rows in made.items()}
    leaks = {key: [r.reasons[0] for r in rows if isinstance(r, Reject)] for key, rows in made.items()}
    assert [len(anchors[key]) for key in ("train", "test", "dev")] == [1, 1, 1]
    assert anchors["dev"][0].split == "val"
    assert leaks["test"] == []
    assert len(leaks["train"]) == len(leaks["dev"]) == 1
    assert leaks["train"][0].startswith("leak: ") and "'test'" in leaks["train"][0]
    ids = [a.anchor_id for rows in anchors.values() for a in rows]
    assert len(set(ids)) == 3


def test_identical_triplets_are_one_anchor(context):
    rows = [
        SourceRow("charts", name, "train", {"code": code})
        for name, code in (
            ("a", SMALL),
            ("b", "flowchart RL\nq[three]\np[two] --> q\nr[one] --> p"),
        )
    ]
    one, two = (engine_rows.make_anchors(DOMAIN, row, context)[0] for row in rows)
    assert one.anchor_id == two.anchor_id


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("sequenceDiagram\nA->>B: x", "not_a_flowchart"),
        ("flowchart TD\nA --> B\nB -> C", "syntax"),
        ("flowchart TD\nA --> B", "no_triplets"),
        ("flowchart TD\nA[한국어] --> B --> C", "undrawable"),
        ('flowchart TD\nA[x] --> B[" "] --> C', "label_empty"),
        ("flowchart TD\nA[x to node y] --> B --> C", "caption_read"),
        ("flowchart TD\nA[x] --> F@{ shape: fork }\nF --> B[y]", "label_empty"),
        ("flowchart TD\nA[Stop] --> B[Stop.] --> C", "caption_ambiguous"),
    ],
)
def test_a_chart_that_cannot_be_an_anchor_is_kept_with_its_reason(code, reason, context):
    rows = engine_rows.make_anchors(DOMAIN, SourceRow("charts", "x", "train", {"code": code}), context)
    assert len(rows) == 1 and isinstance(rows[0], Reject)
    assert rows[0].reasons[0].startswith(reason), rows[0].reasons
    assert rows[0].raw


def test_a_syntax_error_of_a_source_names_its_line(context):
    (row,) = engine_rows.make_anchors(
        DOMAIN, SourceRow("charts", "x", "train", {"code": "flowchart TD\nA --> B\nB -> C"}), context
    )
    assert "(line 3, column" in row.reasons[0]


@pytest.fixture
def asked(tmp_path, monkeypatch):
    """An author whose answers a loopback server gives."""

    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    with Server(lambda _: f"```mermaid\n{CODE}```") as server:
        section = {"kind": "openai", "model": "gpt-4o", "base_url": server.openai_url, "timeout_s": 10.0}
        author = open_author(section, work=tmp_path)
        yield server, author
        author.close()


def describe(tmp_path):
    path = tmp_path / "d.jsonl"
    path.write_text(json.dumps({"id": "d1", "description": "Wash until the stain is gone, then dry."}))
    (row,) = read(f"descriptions:{path}")
    return row


def test_a_chart_is_written_from_a_description_and_repaired_with_the_parsers_error(asked, tmp_path, context):
    server, author = asked
    server.script.append(Fault("text", text="```mermaid\nflowchart TD\n  A[x] --> B[y]\n  B -> C\n```"))
    rows = engine_rows.make_anchors(DOMAIN, describe(tmp_path), replace(context, llm=author))
    assert len(rows) == 3 and all(isinstance(row, Anchor) for row in rows)
    assert rows[0].provenance.author == "openai" and rows[0].provenance.attempts == 2
    assert rows[0].provenance.prompt_id == "flowchart.repair"
    sent = last_text(server.log[1].body)
    assert "line 3" in sent and "B -> C" in sent and "^" in sent


def test_a_chart_that_is_never_right_is_a_reject_with_every_reason(asked, tmp_path, context):
    server, author = asked
    for _ in range(author.settings.repair_attempts + 1):
        server.script.append(Fault("text", text=f"```mermaid\nflowchart TD\n  A --> B\n  {'C' * (_ + 1)}[lone]\n```"))
    (row,) = engine_rows.make_anchors(DOMAIN, describe(tmp_path), replace(context, llm=author))
    assert isinstance(row, Reject)
    assert len(row.reasons) == author.settings.repair_attempts + 1
    assert all(reason.startswith("loose_node: no arrow reaches 'lone'") for reason in row.reasons)
    assert "lone" in (row.raw or "") and row.provenance.attempts == author.settings.repair_attempts + 1


def test_descriptions_without_a_language_model_say_what_to_do(tmp_path, context):
    (row,) = engine_rows.make_anchors(DOMAIN, describe(tmp_path), context)
    assert row.reasons[0].startswith("author_needed") and "[author]" in row.reasons[0]
