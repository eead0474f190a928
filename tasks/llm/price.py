"""What one model costs."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from counterfoil.tasks.llm.exchange import Usage

MILLION = 1_000_000


class Price(BaseModel):
    """USD per million tokens of one model."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    input: float = Field(ge=0, description="USD per million tokens sent.")
    output: float = Field(ge=0, description="USD per million tokens answered, reasoning included.")
    cached_input: float | None = Field(
        None,
        ge=0,
        description="USD per million tokens that the provider reads back from its cache; absent: as ``input``.",
    )
    cache_write: float | None = Field(
        None, ge=0, description="USD per million tokens that the provider writes into its cache; absent: as ``input``."
    )
    batch: float = Field(1.0, ge=0, le=1, description="The share of these prices that a batch costs.")
    flex: float = Field(1.0, ge=0, le=1, description="The share of these prices that flex processing costs.")
    aliases: tuple[str, ...] = Field((), description="Other names of the same model.")

    def charge(self, usage: Usage, batch: bool = False, flex: bool = False) -> float:
        """USD for ``usage``, rounded to a billionth so that sums are the same on every machine."""
        plain = usage.input_tokens - usage.cached_tokens - usage.cache_write_tokens
        cached = self.input if self.cached_input is None else self.cached_input
        written = self.input if self.cache_write is None else self.cache_write
        total = (
            plain * self.input
            + usage.cached_tokens * cached
            + usage.cache_write_tokens * written
            + usage.output_tokens * self.output
        )
        return round(total / MILLION * (self.batch if batch else self.flex if flex else 1.0), 9)

    def bound(self, input_tokens: int, output_tokens: int, batch: bool = False) -> float:
        """The most USD that so many tokens may cost, whatever of them is read from a cache or written into one."""
        dearest = max(self.input, self.cached_input or 0.0, self.cache_write or 0.0)
        total = input_tokens * dearest + output_tokens * self.output
        return round(total / MILLION * (self.batch if batch else 1.0), 9)
