"""Code written by a model, run, and sent back with its error until it works or the attempts are used up.

Serves every domain: matplotlib scripts through the sandbox, Mermaid charts through their parser. What the domain runs
is a function from code to a `Trial`. A `Writing` asks for nothing by itself, so that many of them can be asked for
together: one is `write_code`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from counterfoil.renderers.results import Outcome, Rendering, ScriptRenderer
from counterfoil.storage.rows import Provenance
from counterfoil.tasks.llm.asking import Answer, Ask
from counterfoil.tasks.llm.errors import AnswerRejected

if TYPE_CHECKING:
    from counterfoil.tasks.llm.author import Author

LOG_CHARACTERS = 1500
"""How much of a script's output goes into a repair prompt."""

T = TypeVar("T")

OUTCOMES = {
    Outcome.EXIT: "the script ended the interpreter before its picture was taken",
    Outcome.NO_PICTURE: "the script drew no figure and saved none",
    Outcome.BLANK: "the picture is blank: nothing visible was drawn",
    Outcome.OFF_PAGE: "part of the drawing lies outside the picture",
    Outcome.TOO_LARGE: "the picture is too large; use a figure of about 5 by 5 inches",
    Outcome.TIMEOUT: "the script did not end in time",
    Outcome.MEMORY: "the script used too much memory",
    Outcome.OUTPUT_LIMIT: "the script printed too much",
    Outcome.KILLED: "the script was killed by the sandbox: it tried something that is not allowed",
    Outcome.INVALID_RESULT: "the script's drawing could not be read back",
}


@dataclass(frozen=True)
class Trial(Generic[T]):
    """One run of a piece of code: what came of it, or what was wrong, in words fit for a repair prompt."""

    result: T | None = None
    problem: str = ""
    code: str = "script_failed"
    """The reject's reason code, where it failed."""
    line: int | None = None
    source_line: str = ""
    log: str = ""


@dataclass(frozen=True)
class Written(Generic[T]):
    """Code that works, what came of it, and what it took."""

    code: str
    result: T
    provenance: Provenance
    """Of the last answer, with attempts, tokens and cost of all."""


@dataclass(frozen=True)
class NotWritten:
    """Code that never worked: the reasons of all attempts, the last raw answer, and what it cost."""

    reasons: tuple[str, ...]
    raw: str
    provenance: Provenance


class Writing(Generic[T]):
    """A piece of code on its way: what is to be asked next for it, and at the end what came of it."""

    def __init__(self, ask: Ask, repair_id: str, try_out: Callable[[str], Trial[T]], repairs: int) -> None:
        """``repairs`` is how often code that fails may be sent back, by the prompt ``repair_id``."""
        self.ask: Ask | None = ask
        """What to ask; None once there is an outcome."""
        self.outcome: Written[T] | NotWritten | None = None
        self._repair_id, self._try_out, self._left = repair_id, try_out, repairs
        self._reasons: list[str] = []
        self._spent: Provenance | None = None
        self._raw = ""

    def take(self, answer: Answer | AnswerRejected) -> None:
        """Try the answer to `ask`; then either something else is to be asked, or there is an outcome."""
        assert self.ask is not None
        if isinstance(answer, AnswerRejected):
            self._reasons.append(answer.reason)
            self._spend(answer.provenance, answer.raw)
            self.give_up()
            return
        self._spend(answer.provenance(), answer.raw)
        assert answer.code is not None and self._spent is not None
        trial = self._try_out(answer.code)
        if trial.result is not None:
            self._end(Written(answer.code, trial.result, self._spent))
            return
        self._reasons.append(f"{trial.code}: {trial.problem}" + (f" (line {trial.line})" if trial.line else ""))
        if not self._left:
            self.give_up()
            return
        self._left -= 1
        variables = {
            "script": answer.code,
            "problem": trial.problem,
            "line": trial.line,
            "source_line": trial.source_line,
            "log": trial.log[-LOG_CHARACTERS:],
        }
        self.ask = Ask(self._repair_id, variables, self.ask.family, draw=self.ask.draw)

    def give_up(self) -> None:
        """Ask no more; the outcome is why it failed so far."""
        assert self._spent is not None, "nothing was asked"
        self._end(NotWritten(tuple(self._reasons), self._raw, self._spent))

    def _spend(self, latest: Provenance, raw: str) -> None:
        self._spent, self._raw = add_up(self._spent, latest), raw or self._raw

    def _end(self, outcome: Written[T] | NotWritten) -> None:
        self.ask, self.outcome = None, outcome


def write_code(
    author: Author,
    prompt_id: str,
    variables: Mapping[str, Any],
    repair_id: str,
    try_out: Callable[[str], Trial[T]],
    *,
    family: str,
    images: Sequence[bytes] = (),
    draw: int = 0,
) -> Written[T] | NotWritten:
    """Ask for code and try it; send what fails back with its error, up to ``repair_attempts`` times.

    Raises:
        AuthorError: as `Author.ask`, except `AnswerRejected`, which is a `NotWritten`.
    """
    ask = Ask(prompt_id, variables, family, tuple(images), draw)
    writing = Writing(ask, repair_id, try_out, author.settings.repair_attempts)
    while writing.ask is not None:
        writing.take(author.ask_many([writing.ask])[0])
    assert writing.outcome is not None
    return writing.outcome


def try_script(renderer: ScriptRenderer, script: str) -> Trial[Rendering]:
    """Run a matplotlib script in the sandbox. A blank or off-page picture is a failure too."""
    rendering = renderer.render(script)
    if rendering.outcome is Outcome.OK:
        return Trial(rendering)
    code = f"script_{rendering.outcome.value}"
    error = rendering.error
    if rendering.outcome is Outcome.EXCEPTION and error is not None:
        problem = f"{error.type}: {error.message}"
        return Trial(problem=problem, code=code, line=error.line, source_line=error.source_line, log=rendering.log)
    problem = OUTCOMES.get(rendering.outcome, f"the script failed: {rendering.outcome.value}")
    return Trial(problem=problem, code=code, log=rendering.log)


def add_up(spent: Provenance | None, latest: Provenance) -> Provenance:
    """The latest provenance with the attempts, tokens and cost of both; an unknown cost stays unknown."""
    if spent is None:
        return latest
    known = spent.cost_usd is not None and latest.cost_usd is not None
    return replace(
        latest,
        attempts=spent.attempts + latest.attempts,
        input_tokens=spent.input_tokens + latest.input_tokens,
        output_tokens=spent.output_tokens + latest.output_tokens,
        cost_usd=round((spent.cost_usd or 0.0) + (latest.cost_usd or 0.0), 9) if known else None,
    )


def share_out(provenance: Provenance, rows: int) -> Provenance:
    """The part of the requests' tokens and cost that falls to each of the rows they gave."""
    rows, cost = max(1, rows), provenance.cost_usd
    return replace(
        provenance,
        input_tokens=provenance.input_tokens // rows,
        output_tokens=provenance.output_tokens // rows,
        cost_usd=None if cost is None else round(cost / rows, 9),
    )
