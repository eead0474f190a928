"""Prompt files and their loader. Imports nothing else of the project.

A prompt is one file, ``prompts/<id>.md``: front matter in TOML between two ``+++`` lines, then two Jinja templates with
a third ``+++`` line between them. The first, what every row is told (the task, its rules, a worked example), becomes
the system's message, which providers keep and charge less for; the second, what is the row's own, the user's::

    +++
    version = 1
    title = "Draw a problem"
    source = "MMCLIP Fig. 6"
    output = "code"            # text | json | code
    language = "python"        # of a code answer
    variables = ["question", "answer"]
    per = "anchor"             # anchor | negative | failure: how often it is asked
    typical_output_tokens = 700
    schema = '''{...}'''       # JSON Schema of a json answer; may itself use the variables
    +++
    What to do, and how.
    +++
    The row's {{ question }}.

The SHA-256 of the file's bytes enters the fingerprint of every stage that uses the prompt, so that changing a prompt
re-runs what it feeds and nothing else.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal

FOLDER = Path(__file__).parent
OUTPUTS = ("text", "json", "code")
FREQUENCIES = ("anchor", "negative", "failure")

Output = Literal["text", "json", "code"]


class PromptError(Exception):
    """A prompt is unknown, malformed, or cannot be rendered. The message says which file and what to do."""

    fatal = True


@dataclass(frozen=True)
class Prompt:
    """One prompt file. ``sha256`` is that of its bytes; ``schema_text`` is a Jinja template of JSON."""

    id: str
    version: int
    title: str
    source: str
    output: Output
    variables: tuple[str, ...]
    task: str
    """Template of what every row is told."""
    body: str
    """Template of what is the row's own."""
    sha256: str
    language: str = ""
    schema_text: str = ""
    per: str = "anchor"
    """How often it is asked: once an anchor, once a negative, or once a failed script."""
    typical_output_tokens: int = 500
    """For the estimate of `counterfoil plan` while no answer is stored."""
    typical_item_tokens: int = 0
    """As much again for each negative, of an answer that holds all of an anchor's."""
    failure_share: float = 0.3
    """For a prompt asked per failure: the share assumed while no answer is stored."""

    def render(self, variables: Mapping[str, Any]) -> RenderedPrompt:
        """Fill task, body and schema.

        Raises:
            PromptError: a variable is missing or unknown, or the schema is not JSON once filled.
        """
        missing = [name for name in self.variables if name not in variables]
        unknown = sorted(set(variables) - set(self.variables))
        if missing or unknown:
            wrong = "; ".join(
                [f"missing {', '.join(missing)}"] * bool(missing) + [f"unknown {', '.join(unknown)}"] * bool(unknown)
            )
            raise PromptError(f"prompt {self.id}: {wrong} (its variables are {', '.join(self.variables)})")
        schema = None
        if self.schema_text:
            try:
                schema = json.loads(self._fill(self.schema_text, variables))
            except json.JSONDecodeError as error:
                raise PromptError(f"prompt {self.id}: its schema is not JSON once filled: {error}") from None
        return RenderedPrompt(
            prompt=self,
            system=self._fill(self.task, variables).strip(),
            user=self._fill(self.body, variables).strip(),
            schema=schema,
        )

    def _fill(self, template: str, variables: Mapping[str, Any]) -> str:
        import jinja2

        try:
            return _compile(template).render(variables)
        except jinja2.TemplateError as error:
            raise PromptError(f"prompt {self.id}: {error}") from None


@dataclass(frozen=True)
class RenderedPrompt:
    """A prompt filled for one row: what is sent, and the schema that the answer must satisfy.

    ``system`` is the same for all rows of a recipe.
    """

    prompt: Prompt
    system: str
    user: str
    schema: Mapping[str, Any] | None = None


def list_prompts() -> list[Prompt]:
    """All prompts of the project, by id."""
    return [load_prompt(path.stem) for path in sorted(FOLDER.glob("*.md"))]


@cache
def load_prompt(prompt_id: str) -> Prompt:
    """The prompt ``prompt_id`` (``geometry.script``).

    Raises:
        PromptError: there is no such prompt, or its file is malformed.
    """
    path = FOLDER / f"{prompt_id}.md"
    if not path.is_file():
        known = ", ".join(sorted(each.stem for each in FOLDER.glob("*.md")))
        raise PromptError(f"there is no prompt {prompt_id!r}; known: {known}")
    return parse_prompt(prompt_id, path.read_bytes())


def parse_prompt(prompt_id: str, data: bytes) -> Prompt:
    """Read a prompt file's bytes.

    Raises:
        PromptError: front matter or body is not as the module's docstring says.
    """
    try:
        opening, _, rest = data.decode("utf-8").replace("\r\n", "\n").partition("+++\n")
        matter, _, text = rest.partition("\n+++\n")
        task, _, body = text.partition("\n+++\n")
        fields = tomllib.loads(matter)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise PromptError(f"prompt {prompt_id}: front matter: {error}") from None
    if opening.strip() or not task.strip() or not body.strip():
        raise PromptError(f"prompt {prompt_id}: expected TOML between two +++ lines, the task, +++, and the row's part")
    schema = fields.pop("schema", "")
    try:
        prompt = Prompt(
            id=prompt_id,
            variables=tuple(fields.pop("variables")),
            task=task,
            body=body,
            sha256=hashlib.sha256(data).hexdigest(),
            schema_text=schema,
            **fields,
        )
    except (KeyError, TypeError) as error:
        raise PromptError(f"prompt {prompt_id}: front matter: {error}") from None
    _check(prompt)
    return prompt


def _check(prompt: Prompt) -> None:
    import jinja2
    from jinja2 import meta

    where = f"prompt {prompt.id}"
    if prompt.output not in OUTPUTS:
        raise PromptError(f"{where}: output is {prompt.output!r}; allowed: {', '.join(OUTPUTS)}")
    if prompt.per not in FREQUENCIES:
        raise PromptError(f"{where}: per is {prompt.per!r}; allowed: {', '.join(FREQUENCIES)}")
    if (prompt.output == "json") != bool(prompt.schema_text):
        raise PromptError(f"{where}: a json answer needs a schema, and no other answer has one")
    if (prompt.output == "code") != bool(prompt.language):
        raise PromptError(f"{where}: a code answer needs a language, and no other answer has one")
    try:
        used = set().union(
            *(
                meta.find_undeclared_variables(_environment().parse(text))
                for text in (prompt.task, prompt.body, prompt.schema_text)
            )
        )
    except jinja2.TemplateError as error:
        raise PromptError(f"{where}: {error}") from None
    if used != set(prompt.variables):
        raise PromptError(f"{where}: declares {sorted(prompt.variables)} but uses {sorted(used)}")


@lru_cache(maxsize=256)
def _compile(template: str) -> Any:
    """Compiling is most of what filling a prompt costs."""
    return _environment().from_string(template)


@cache
def _environment() -> Any:
    from jinja2 import StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    return ImmutableSandboxedEnvironment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
