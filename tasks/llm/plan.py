"""What a run would ask and cost, worked out without a single request.

How often a prompt is asked follows from its front matter (``per``): once an anchor, once a negative, or once a failed
script; what the dataset has had answered already is not asked again. Tokens come from the stored answers to the same
prompt by the same model where there are any, else from a tokenizer, the prompt's own estimate and, for a model that
reasons, an assumption that is told as such. What is not known stays unknown: no price is guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from counterfoil.prompts import Prompt, load_prompt
from counterfoil.tasks.llm.exchange import Usage
from counterfoil.tasks.llm.models import assume_reasoning
from counterfoil.tasks.llm.price import Price
from counterfoil.tasks.llm.prices import find_price
from counterfoil.tasks.llm.settings import AuthorSettings
from counterfoil.tasks.llm.store.spending import locate_store
from counterfoil.tasks.llm.store.store import ResponseStore
from counterfoil.tasks.llm.store.tables import PastAnswers
from counterfoil.tasks.llm.store.yields import list_yields
from counterfoil.tasks.llm.tokens import open_counter
from counterfoil.tasks.llm.yields import Yield, identify_asker, is_current

TYPICAL = {"script": 2400, "question": 300, "caption": 350, "negative_caption": 350, "description": 600}
"""Characters that a variable usually fills, where no row is at hand."""
TYPICAL_CHARACTERS = 60
MIN_PAST = 5
"""Stored answers from which their mean is a better estimate than the tokenizer's."""


@dataclass(frozen=True)
class FamilyDemand:
    """What one family (or ``<domain>.anchor``) would ask for: anchors, negatives of each, and its prompts.

    ``sample`` holds variables of one row, if there is one, for a truer count of tokens.
    """

    family: str
    anchors: int
    prompts: tuple[str, ...]
    negatives: int = 0
    sample: Mapping[str, Any] = field(default_factory=dict)
    together: tuple[str, ...] = ()
    """Families that are made by the same requests; each pays for some of them."""


@dataclass(frozen=True)
class PlanRow:
    """One prompt of one family: what is still to be asked. ``usd`` is None where the model's price is unknown."""

    family: str
    prompt_id: str
    requests: int
    input_tokens: int
    output_tokens: int
    usd: float | None
    basis: str
    """``answers`` (means of stored ones), ``tokenizer`` or ``characters``."""
    answered: int = 0
    """Requests that the dataset has had answered, not counted above."""
    reasoning_tokens: int = 0
    """Of the output; assumed by the model's effort unless ``basis`` is ``answers``."""


@dataclass(frozen=True)
class RowCost:
    """What one accepted row of a family costs: as earlier runs had it, else if every row were accepted.

    Where earlier runs had none accepted, ``tokens`` and ``usd`` are all that they spent.
    """

    family: str
    prompts: tuple[str, ...]
    """Ids and versions."""
    model: str
    tokens: float
    usd: float | None
    accepted: int | None = None
    """Rows that were accepted so far; None where nothing was asked yet."""
    rejected: int = 0


@dataclass(frozen=True)
class RequestPlan:
    """The estimate of a run. ``seconds`` is None where no rate is set and no answer has been timed."""

    rows: tuple[PlanRow, ...]
    costs: tuple[RowCost, ...]
    seconds: float | None
    limited_by: str
    """What decides ``seconds``: requests_per_minute, tokens_per_minute, concurrency, or why they are unknown."""
    spent_usd: float
    """What the store's scope has spent so far; stored answers are not paid again."""
    stored: int
    """Answers in the store."""

    @property
    def requests(self) -> int:
        return sum(row.requests for row in self.rows)

    @property
    def input_tokens(self) -> int:
        return sum(row.input_tokens for row in self.rows)

    @property
    def output_tokens(self) -> int:
        return sum(row.output_tokens for row in self.rows)

    @property
    def reasoning_tokens(self) -> int:
        return sum(row.reasoning_tokens for row in self.rows)

    @property
    def answered(self) -> int:
        return sum(row.answered for row in self.rows)

    @property
    def assumes_reasoning(self) -> bool:
        """Whether reasoning tokens are assumed for some prompt, because it has too few stored answers."""
        return any(row.reasoning_tokens and row.basis != "answers" for row in self.rows)

    @property
    def usd(self) -> float | None:
        """The total; None if any price is unknown."""
        costs = [row.usd for row in self.rows]
        return None if any(cost is None for cost in costs) else round(sum(cost or 0.0 for cost in costs), 6)


def plan_requests(
    settings: AuthorSettings,
    demands: Sequence[FamilyDemand],
    *,
    work: Path | str | None = None,
    scope: str = "",
) -> RequestPlan:
    """Estimate what ``demands`` would cost with this author. Needs no key and sends nothing.

    Raises:
        AuthorUnavailable: the price table, tokenizer or store cannot be read.
        prompts.PromptError: a demand names an unknown prompt.
    """
    estimate = _Estimate(settings, find_price(settings), open_counter(settings.tokenizer))
    location = locate_store(settings, work)
    if location is None or ("://" not in location and not Path(location).is_file()):
        return _plan(estimate, demands, _Known())
    store = ResponseStore(location)
    try:
        with store.begin() as connection:
            prompts = [load_prompt(each) for each in sorted({each for demand in demands for each in demand.prompts})]
            identity = settings.identify_model()
            known = _Known(
                past={each.id: store.average_past(connection, each.id, settings.model or "") for each in prompts},
                answered={
                    (family, each.id): count
                    for each in prompts
                    for family, count in store.count_asked(
                        connection, scope, identify_asker(each.sha256, identity)
                    ).items()
                },
                spent_usd=round(sum(each.cost_usd for each in store.sum_spending(connection, scope)), 9),
                stored=store.count_answers(connection),
                yields=list_yields(connection, scope),
            )
    finally:
        store.close()
    return _plan(estimate, demands, known)


@dataclass(frozen=True)
class _Known:
    """What the response store tells of earlier requests."""

    past: Mapping[str, PastAnswers | None] = field(default_factory=dict)
    answered: Mapping[tuple[str, str], int] = field(default_factory=dict)
    """Family and prompt to the requests that this scope has had answered."""
    spent_usd: float = 0.0
    stored: int = 0
    yields: Sequence[Yield] = ()


@dataclass(frozen=True)
class _Estimate:
    """Tokens and USD of single requests, by one author."""

    settings: AuthorSettings
    price: Price | None
    count: Callable[[str], int]

    def measure(self, prompt: Prompt, demand: FamilyDemand, past: PastAnswers | None) -> tuple[PastAnswers, str]:
        """The tokens of one request, and what they are estimated from."""
        if past is not None and past.requests >= MIN_PAST:
            return past, "answers"
        settings = self.settings
        reasoning = assume_reasoning(settings.model or "", settings.reasoning_effort)
        written = prompt.typical_output_tokens + prompt.typical_item_tokens * max(1, demand.negatives)
        tokens = PastAnswers(
            requests=0,
            input_tokens=float(self.count(_fill(prompt, demand.sample))),
            output_tokens=float(min(written + reasoning, settings.output_limit)),
            seconds=None,
            reasoning_tokens=float(min(reasoning, settings.output_limit)),
        )
        return tokens, "tokenizer" if settings.tokenizer else "characters"

    def charge(self, usage: Usage) -> float | None:
        """USD of ``usage`` in the way in which the author would ask."""
        return self.price.charge(usage, self.settings.batch, self.settings.flex) if self.price else None


def _plan(estimate: _Estimate, demands: Sequence[FamilyDemand], known: _Known) -> RequestPlan:
    rows = tuple(
        _plan_prompt(estimate, demand, load_prompt(prompt_id), known)
        for demand in demands
        for prompt_id in demand.prompts
    )
    seconds, limited_by = _estimate_time(estimate.settings, rows, known.past)
    costs = tuple(cost for demand in demands for cost in _list_costs(estimate, demand, known))
    return RequestPlan(rows, costs, seconds, limited_by, known.spent_usd, known.stored)


def _list_costs(estimate: _Estimate, demand: FamilyDemand, known: _Known) -> list[RowCost]:
    names = {demand.family, *demand.together}
    found = [each for each in known.yields if each.family in names and each.accepted + each.rejected]
    current = any(is_current(each, estimate.settings) for each in found)
    return [_read_cost(each) for each in found] + ([] if current else _assume(estimate, demand, known))


def _read_cost(found: Yield) -> RowCost:
    tokens, usd = found.tokens_per_row, found.usd_per_row
    if tokens is None:
        tokens, usd = float(found.input_tokens + found.output_tokens), None if found.unknown else found.cost_usd
    return RowCost(found.family, found.prompts, found.model, tokens, usd, found.accepted, found.rejected)


def _assume(estimate: _Estimate, demand: FamilyDemand, known: _Known) -> list[RowCost]:
    """What an accepted row would cost if every row were; nothing where no row is wanted."""
    prompts = [load_prompt(each) for each in demand.prompts]
    whole = [_plan_prompt(estimate, demand, each, replace(known, answered={})) for each in prompts]
    wanted = demand.anchors * max(1, demand.negatives)
    if not wanted:
        return []
    costs = [each.usd for each in whole]
    usd = None if None in costs else sum(each or 0.0 for each in costs) / wanted
    tokens = sum(each.input_tokens + each.output_tokens for each in whole) / wanted
    versions = tuple(f"{each.id} {each.version}" for each in prompts)
    return [RowCost(demand.family, versions, estimate.settings.model or "", tokens, usd)]


def _plan_prompt(estimate: _Estimate, demand: FamilyDemand, prompt: Prompt, known: _Known) -> PlanRow:
    answered = sum(known.answered.get((each, prompt.id), 0) for each in {demand.family, *demand.together})
    requests = max(0, _count_requests(demand, prompt) - answered)
    each, basis = estimate.measure(prompt, demand, known.past.get(prompt.id))
    kinds = (each.input_tokens, each.output_tokens, each.cached_tokens, each.cache_write_tokens)
    usage = Usage(*(round(requests * tokens) for tokens in kinds))
    return PlanRow(
        family=demand.family,
        prompt_id=prompt.id,
        requests=requests,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        usd=estimate.charge(usage),
        basis=basis,
        answered=answered,
        reasoning_tokens=round(requests * (each.reasoning_tokens or 0.0)),
    )


def _count_requests(demand: FamilyDemand, prompt: Prompt) -> int:
    if prompt.per == "anchor":
        return demand.anchors
    if prompt.per == "negative":
        return demand.anchors * demand.negatives
    scripts = [load_prompt(each) for each in demand.prompts]
    written = sum(_count_requests(demand, each) for each in scripts if each.output == "code" and each.per != "failure")
    return round(written * prompt.failure_share)


def _fill(prompt: Prompt, sample: Mapping[str, Any]) -> str:
    """The prompt's text as long as it would be for a row: with the sample's values, else with letters."""
    schema = prompt.schema_text
    variables = "".join(
        str(sample[name]) if name in sample else "word " * (TYPICAL.get(name, TYPICAL_CHARACTERS) // 5)
        for name in prompt.variables
    )
    return "\n".join((prompt.task, prompt.body, schema, variables))


def _estimate_time(
    settings: AuthorSettings, rows: Sequence[PlanRow], past: Mapping[str, PastAnswers | None]
) -> tuple[float | None, str]:
    requests = sum(row.requests for row in rows)
    tokens = sum(row.input_tokens + row.output_tokens for row in rows)
    times: dict[str, float] = {}
    if settings.requests_per_minute:
        times["requests_per_minute"] = requests / settings.requests_per_minute * 60
    if settings.tokens_per_minute:
        times["tokens_per_minute"] = tokens / settings.tokens_per_minute * 60
    seconds_each = {each: found.seconds for each, found in past.items() if found is not None and found.seconds}
    if rows and all(row.prompt_id in seconds_each for row in rows if row.requests):
        work = sum(row.requests * (seconds_each.get(row.prompt_id) or 0.0) for row in rows)
        times["concurrency"] = work / settings.concurrency
    if settings.batch:
        return None, "a batch waits in the provider's queue, up to 24 hours a round"
    if not times:
        return None, "no rate is set, and no answer was timed yet"
    slowest = max(times, key=lambda name: times[name])
    return times[slowest], slowest
