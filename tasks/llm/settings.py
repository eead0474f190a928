"""The recipe's ``[author]`` section."""

from __future__ import annotations

from typing import Any, Literal
from urllib.parse import urlsplit, urlunsplit

from pydantic import BaseModel, ConfigDict, Field, JsonValue, field_validator, model_validator

from counterfoil.tasks.llm.models import PLAIN_ROOM, REASONING_ROOM, patience_for, reasons
from counterfoil.tasks.llm.price import Price

Kind = Literal["procedural", "openai", "anthropic", "vllm"]

OFFICIAL = {"openai": "https://api.openai.com/v1", "anthropic": "https://api.anthropic.com"}
KEYS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY", "vllm": "VLLM_API_KEY"}
"""The environment variable that holds each provider's key; it is read nowhere else."""


FLEX_TIMEOUT_S = 900.0
"""OpenAI advises a quarter of an hour for flex processing."""


class ModelSettings(BaseModel):
    """Which model answers, and how it samples. All of it decides content."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Kind = Field(
        "procedural",
        description="Who answers; ``procedural`` is no language model: everything is made by rule, with no key "
        "and no cost.",
    )
    model: str | None = Field(
        None,
        min_length=1,
        description="The provider's model name; for ``vllm`` without ``base_url`` a hub name or folder to load "
        "in this process.",
    )
    base_url: str | None = Field(
        None,
        description="Another server that speaks the provider's API. For ``vllm``: the server; absent, the "
        "engine runs in-process.",
    )
    temperature: float | None = Field(
        None,
        ge=0,
        le=2,
        description="How freely the model samples; absent: the provider's own, as some models take no other.",
    )
    top_p: float | None = Field(
        None, gt=0, le=1, description="The share of likely words that it samples from; absent: the provider's own."
    )
    seed: int | None = Field(
        None, ge=0, description="Sent to providers that take one; it makes answers more alike, not equal."
    )
    max_tokens: int | None = Field(
        None,
        ge=1,
        description="Output tokens of one answer, reasoning included; absent: 8,192, or 32,768 for a model that "
        "reasons.",
    )
    reasoning_effort: Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"] | None = Field(
        None, description="How much a model that reasons does so before it answers; absent: the provider's own."
    )
    structured: Literal["schema", "prompt"] = Field(
        "schema",
        description="``schema``: the provider is sent the JSON Schema; ``prompt``: only the prompt speaks of "
        "it, for servers that know no structured output. Answers are validated either way.",
    )

    @field_validator("base_url")
    @classmethod
    def _normalise_url(cls, value: str | None) -> str | None:
        if value is None:
            return None
        parts = urlsplit(value.strip())
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("base_url must start with http:// or https:// and name a host")
        if parts.username or parts.password or parts.query:
            raise ValueError("base_url must hold no user, password or query: keys come from the environment only")
        return urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/"), "", ""))

    @model_validator(mode="after")
    def _needs_model(self) -> ModelSettings:
        if self.kind != "procedural" and not self.model:
            raise ValueError(f"kind = {self.kind!r} needs a model")
        return self

    @property
    def address(self) -> str:
        """The base URL that is used, or ``in-process``."""
        return self.base_url or OFFICIAL.get(self.kind, "in-process")

    @property
    def output_limit(self) -> int:
        """Output tokens that one answer may take."""
        if self.max_tokens is not None:
            return self.max_tokens
        return REASONING_ROOM if reasons(self.model or "", self.reasoning_effort) else PLAIN_ROOM

    def identify_model(self) -> dict[str, Any]:
        """What of these settings decides an answer."""
        if self.kind == "procedural":
            return {"kind": "procedural"}
        named = ("kind", "model", "temperature", "top_p", "seed", "reasoning_effort", "structured")
        given = {name: getattr(self, name) for name in named}
        return given | {"max_tokens": self.output_limit, "base_url": self.address}


class LookSettings(ModelSettings):
    """``[author.look]``: the model that sees and checks whether picture and caption agree."""

    rows: int = Field(16, ge=1, description="Rows of each family and shard that it is asked about.")


class AuthorSettings(ModelSettings):
    """``[author]``: who writes code, captions and edits."""

    repair_attempts: int = Field(
        2, ge=0, le=10, description="How often a script that fails is sent back with its error."
    )
    schema_attempts: int = Field(
        2,
        ge=0,
        le=10,
        description="How often an answer that breaks its schema is sent back with the validator's message.",
    )
    look: LookSettings | None = None
    examples: int = Field(
        0, ge=0, le=10, description="Verified answers of other source rows that are shown before each question."
    )
    examples_from: str | None = Field(
        None, description="The file that they are drawn from (`counterfoil prompts keep`)."
    )

    # From here on: knobs that cannot change content.
    concurrency: int = Field(32, ge=1, le=2000, description="Requests in flight at once, all processes together.")
    requests_per_minute: float | None = Field(
        None, gt=0, description="The most requests sent, all processes together; absent: no such limit."
    )
    tokens_per_minute: float | None = Field(
        None, gt=0, description="The most tokens sent and asked for, all processes together; absent: no such limit."
    )
    timeout_s: float | None = Field(
        None,
        gt=0,
        description="For one attempt at one request, from its sending to the last byte of its answer; absent: "
        "300, for a model that reasons by its effort from 300 to 3,600 (900 for ``medium``), and "
        "with ``flex`` 900 at least.",
    )
    retries: int = Field(
        6, ge=0, le=100, description="Further attempts after 408, 409, 429, 5xx, timeouts and broken connections."
    )
    batch: bool = Field(False, description="Use the provider's batch endpoint: half the price, up to a day's wait.")
    flex: bool = Field(
        False,
        description="Use OpenAI's flex processing: the price of a batch, answers later but not in a day, and "
        "sometimes no room.",
    )
    cache: bool = Field(
        True,
        description="Let the provider keep the part of a prompt that is the same for every row, where reading "
        "it back is cheaper.",
    )
    batch_poll_s: float = Field(30.0, gt=0, description="How often a batch is asked after.")
    batch_quiet_s: float = Field(
        5.0, gt=0, description="A batch is submitted once every row waits, or when no request has come for this long."
    )
    budget_usd: float | None = Field(
        None,
        ge=0,
        description="The dataset may cost so much; the run that would cost more ends, and what was answered is kept.",
    )
    max_usd_per_row: float | None = Field(
        None,
        gt=0,
        description="The run ends where an accepted row of a family costs more, once 20 rows were asked about.",
    )
    budget_requests: int | None = Field(None, ge=0, description="As ``budget_usd``, counted in requests.")
    store: str | None = Field(
        None,
        description="The response store: an SQLAlchemy URL (``postgresql+psycopg://...``) or a file; default: "
        "in the dataset's work folder.",
    )
    prices: str | None = Field(
        None, description="A price table to use instead of the shipped one (``tasks/llm/prices.toml``)."
    )
    price: Price | None = Field(
        None,
        description="USD per million tokens of this model, in place of any table: ``{ input = 0.25, output = 2.0 }``.",
    )
    tokenizer: str | None = Field(None, description="A ``tokenizer.json`` for the estimates of `counterfoil plan`.")
    engine: dict[str, JsonValue] = Field(
        default_factory=dict,
        description="Options of the in-process vLLM engine (``tensor_parallel_size``, ``gpu_memory_utilization``...).",
    )

    @model_validator(mode="after")
    def _check_together(self) -> AuthorSettings:
        if bool(self.examples) != bool(self.examples_from):
            raise ValueError("examples and examples_from go together: how many, and the file that they are drawn from")
        if self.kind == "procedural" and (self.model or self.base_url or self.batch):
            raise ValueError(
                "kind = 'procedural' takes no model, base_url or batch; set kind to openai, anthropic or vllm"
            )
        if self.batch and self.kind == "vllm":
            raise ValueError("batch = true is for openai and anthropic; vllm batches by itself")
        if self.flex and (self.kind != "openai" or self.batch):
            raise ValueError("flex = true is for openai, and a batch costs as little: set one of the two")
        if self.engine and (self.kind != "vllm" or self.base_url):
            raise ValueError("engine is for vllm in-process (kind = 'vllm' without base_url)")
        return self

    @property
    def patience_s(self) -> float:
        """Seconds that one attempt may take."""
        patience_s = patience_for(self.model or "", self.reasoning_effort)
        return self.timeout_s or max(patience_s, FLEX_TIMEOUT_S if self.flex else 0.0)

    def identity(self) -> dict[str, Any]:
        """What of these settings decides a row's content: it enters the fingerprints of stages."""
        if self.kind == "procedural":
            return {"kind": "procedural"}
        return self.identify_model() | self._list_attempts()

    def identify_model(self) -> dict[str, Any]:
        """What of these settings decides an answer; of examples the file's bytes, not where it lies."""
        if not self.examples_from or self.kind == "procedural":
            return super().identify_model()
        from counterfoil.tasks.llm.examples import read_pool

        shown = {"examples": self.examples, "examples_sha256": read_pool(self.examples_from).sha256}
        return super().identify_model() | shown

    def identify_look(self) -> dict[str, Any] | None:
        """What decides what the model that looks says; None where nothing looks. It enters no row's fingerprint."""
        looking = self.for_looking()
        if self.look is None or looking is None:
            return None
        return looking.identify_model() | {"rows": self.look.rows, "schema_attempts": self.schema_attempts}

    def _list_attempts(self) -> dict[str, int]:
        return {"repair_attempts": self.repair_attempts, "schema_attempts": self.schema_attempts}

    def for_looking(self) -> AuthorSettings | None:
        """Settings for the model that looks: its own model, this section's load, store and budget."""
        if self.look is None or self.look.kind == "procedural":
            return None
        shared = self.model_dump(
            exclude=set(ModelSettings.model_fields) | {"look", "engine", "price", "examples", "examples_from"}
        )
        shared["batch"] = self.batch and self.look.kind != "vllm"
        shared["flex"] = self.flex and self.look.kind == "openai"
        return AuthorSettings(**self.look.model_dump(exclude={"rows"}), **shared)
