"""The price table: USD from the provider's own token counts, or None where a price is unknown."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from tasks.llm.errors import AuthorUnavailable
from tasks.llm.exchange import Usage

if TYPE_CHECKING:
    from tasks.llm.settings import AuthorSettings

SHIPPED = Path(__file__).with_name("prices.toml")
MILLION = 1_000_000


class Price(BaseModel):
    """USD per million tokens of one model."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    input: float = Field(ge=0)
    """USD per million tokens sent."""
    output: float = Field(ge=0)
    """USD per million tokens answered, reasoning included."""
    cached_input: float | None = Field(None, ge=0)
    """USD per million tokens that the provider reads back from its cache; absent: as ``input``."""
    cache_write: float | None = Field(None, ge=0)
    """USD per million tokens that the provider writes into its cache; absent: as ``input``."""
    batch: float = Field(1.0, ge=0, le=1)
    """The share of these prices that a batch costs."""
    flex: float = Field(1.0, ge=0, le=1)
    """The share of these prices that flex processing costs."""
    aliases: tuple[str, ...] = ()
    """Other names of the same model."""

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


@dataclass(frozen=True)
class PriceTable:
    """Prices by provider and model name. The name ``*`` stands for every model of a provider."""

    prices: dict[str, dict[str, Price]]

    def find(self, provider: str, model: str) -> Price | None:
        """The price of ``model``, by its exact name or alias; None if it is not listed."""
        listed = self.prices.get(provider, {})
        for name, price in listed.items():
            if model == name or model in price.aliases:
                return price
        return listed.get("*")


def load_prices(path: str | Path | None = None) -> PriceTable:
    """The table in ``path``, or the shipped one.

    Raises:
        AuthorUnavailable: the file is missing or malformed.
    """
    source = Path(path) if path else SHIPPED
    try:
        with source.open("rb") as file:
            data = tomllib.load(file)
        return PriceTable(TypeAdapter(dict[str, dict[str, Price]]).validate_python(data))
    except OSError as error:
        raise AuthorUnavailable(f"price table {source}: {error.strerror}") from None
    except tomllib.TOMLDecodeError as error:
        raise AuthorUnavailable(f"price table {source}: {error}") from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise AuthorUnavailable(f"price table {source}: {where}: {first['msg']}") from None


def find_price(settings: AuthorSettings) -> Price | None:
    """The price of an author's model: the recipe's own, or the table's; None if it is unknown.

    Raises:
        AuthorUnavailable: the price table is missing or malformed, or a budget in USD has no price to go by.
    """
    price = settings.price or load_prices(settings.prices).find(settings.kind, settings.model or "")
    if price is None and settings.budget_usd is not None:
        raise AuthorUnavailable(f"budget_usd is set but {describe_unknown(settings)}, or use budget_requests")
    return price


def describe_unknown(settings: AuthorSettings) -> str:
    """That a model's price is unknown, and how to give it."""
    return (
        f"the price of {settings.kind} model {settings.model!r} is unknown: give it in USD per million tokens, "
        "[author] price = { input = ..., output = ... }"
    )
