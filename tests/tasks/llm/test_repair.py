"""Scripts that fail are sent back with their error, in the real sandbox; and the check by looking."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from counterfoil.renderers.results import ScriptRenderer
from counterfoil.storage.rows import Anchor
from counterfoil.tasks.llm.preview import preview_prompt
from counterfoil.tasks.llm.repair import NotWritten, Written, try_script, write_code
from counterfoil.tasks.looks.ask import Pair, compare_looks, look_at

from .conftest import LOOK, Open, sum_spending
from .server import Fault, Server, last_text

GOOD = """
import matplotlib.pyplot as plt
fig, ax = plt.subplots(figsize=(4, 4))
ax.plot([0, 1, 0, 0], [0, 0, 1, 0], "k-")
ax.set_xlim(-1, 2)
ax.set_ylim(-1, 2)
ax.axis("off")
plt.savefig("question.png")
"""
RAISES = GOOD.replace('ax.axis("off")', "ax.axis(undefined_name)")
BLANK = "import matplotlib.pyplot as plt\nplt.figure()\nplt.axis('off')\nplt.savefig('question.png')\n"
VARIABLES = {"question": "q", "answer": "a", "markings": True}


@pytest.fixture(scope="module")
def renderer() -> Iterator[ScriptRenderer]:
    sandbox = pytest.importorskip("counterfoil.renderers.sandbox")
    with sandbox.open_renderer() as opened:
        yield opened


def fence(script: str) -> Fault:
    return Fault("text", text=f"```python\n{script}```")


def write(open_for: Open, renderer: ScriptRenderer, **settings: int) -> Written | NotWritten:
    author = open_for("openai", **settings)
    return write_code(
        author,
        "geometry.script",
        VARIABLES,
        "geometry.repair",
        lambda script: try_script(renderer, script),
        family="geometry.image",
    )


def test_good_script_needs_no_repair(open_for: Open, server: Server, renderer: ScriptRenderer) -> None:
    server.script.append(fence(GOOD))
    written = write(open_for, renderer)
    assert isinstance(written, Written)
    assert written.result.png and written.provenance.attempts == 1


def test_exception_goes_back_with_its_line(open_for: Open, server: Server, renderer: ScriptRenderer) -> None:
    server.script.extend([fence(RAISES), fence(GOOD)])
    author = open_for("openai")
    written = write(lambda *_, **__: author, renderer)
    assert isinstance(written, Written)
    spent = sum_spending(author)
    sent = last_text(server.log[1].body)
    assert "NameError: name 'undefined_name' is not defined" in sent
    assert "in line 7: `ax.axis(undefined_name)`" in sent or "in line 6: `ax.axis(undefined_name)`" in sent
    assert written.provenance.attempts == 2
    assert written.provenance.prompt_id == "geometry.repair"
    assert written.provenance.input_tokens == sum(each.input_tokens for each in spent)


def test_blank_picture_is_a_failure_and_gives_up_with_its_cost(
    open_for: Open, server: Server, renderer: ScriptRenderer
) -> None:
    server.script.extend([fence(BLANK)] * 3)
    failed = write(open_for, renderer, repair_attempts=2)
    assert isinstance(failed, NotWritten)
    assert len(failed.reasons) == 3 and all(reason.startswith("script_blank: ") for reason in failed.reasons)
    assert failed.provenance.attempts == 3 and failed.provenance.cost_usd > 0
    assert "plt.figure()" in failed.raw


def test_refusal_is_a_reject_with_its_reason(open_for: Open, server: Server, renderer: ScriptRenderer) -> None:
    server.script.extend([fence(RAISES), Fault("refusal")])
    failed = write(open_for, renderer)
    assert isinstance(failed, NotWritten)
    assert [reason.split(":")[0] for reason in failed.reasons] == ["script_exception", "llm_refusal"]


def test_script_does_not_see_the_keys(open_for: Open, server: Server, renderer: ScriptRenderer) -> None:
    peek = GOOD + "import os\nprint(sorted(os.environ.items()))\nraise SystemError(str(dict(os.environ)))\n"
    server.script.extend([fence(peek)])
    failed = write(open_for, renderer, repair_attempts=0)
    assert isinstance(failed, NotWritten)
    assert "script_exception" in failed.reasons[0] and "SECRET" not in failed.reasons[0]


def test_looking_is_blind_and_compared_with_our_verdicts(open_for: Open, server: Server) -> None:
    def see(body: dict) -> str:
        return json.dumps(LOOK | {"agrees": "AB = 8" in last_text(body)})

    server.reply = see
    picture = b"\x89PNG\r\n\x1a\n not looked at here"
    pairs = [
        Pair("r1", "geometry.image", picture, "AB = 8", agrees=True),
        Pair("r2", "geometry.image", picture, "AB = 6", agrees=False),
        Pair("r3", "geometry.image", picture, "AB = 6 and BC = 3", agrees=True),
        Pair("r4", "geometry.caption", picture, "AB = 8 and BC = 3", agrees=False),
    ]
    looks = look_at(open_for("anthropic"), pairs)
    assert [look.agrees for look in looks] == [True, False, False, True]
    assert not any(pair.row_id in str(each.body) for each in server.log for pair in pairs)
    assert not any("geometry.image" in str(each.body) or "negative" in str(each.body) for each in server.log)
    caption, image = compare_looks(looks)
    assert (image.pairs, image.agreed, image.missed, image.doubted) == (3, 2, 0, 1)
    assert (caption.missed, caption.share) == (1, 0.0)


def test_preview_shows_what_would_be_sent() -> None:
    anchor = Anchor("a", "geometry", "s", "1", "train", caption=r"\triangle ABC, AB = 8", question="Find BC.")
    text = preview_prompt("geometry.rule", anchor)
    assert text.startswith("[system]\n") and r"\triangle ABC, AB = 8" in text and "Its letters are A, B, C" in text
    assert "Find BC." in preview_prompt("geometry.script", anchor)
    told = preview_prompt("geometry.caption", anchor, extra={"wordings": ["x"]})
    assert "read, beside" in told and '"caption": {' in told
