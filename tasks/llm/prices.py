"""The price table: USD from the provider's own token counts, or None where a price is unknown."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from counterfoil.storage.mistakes import word_mistake
from counterfoil.storage.plain import parse_toml
from counterfoil.tasks.llm.errors import AuthorUnavailable
from counterfoil.tasks.llm.price import Price
from counterfoil.tasks.llm.settings import AuthorSettings

SHIPPED = Path(__file__).with_name("prices.toml")


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
        data = parse_toml(source.read_text(encoding="utf-8"))
        return PriceTable(TypeAdapter(dict[str, dict[str, Price]]).validate_python(data))
    except OSError as error:
        raise AuthorUnavailable(f"price table {source}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise AuthorUnavailable(f"price table {source}: {error}") from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise AuthorUnavailable(f"price table {source}: {where}: {word_mistake(first)}") from None


def find_price(settings: AuthorSettings) -> Price | None:
    """The price of an author's model: the recipe's own, or the table's; None if it is unknown.

    Raises:
        AuthorUnavailable: the price table is missing or malformed, or a budget in USD has no price to go by.
    """
    price = settings.price or load_prices(settings.prices).find(settings.kind, settings.model or "")
    limits = {"budget_usd": settings.budget_usd, "max_usd_per_row": settings.max_usd_per_row}
    for name in (name for name, limit in limits.items() if price is None and limit is not None):
        raise AuthorUnavailable(f"{name} is set but {describe_unknown(settings)}, or use budget_requests")
    return price


def describe_unknown(settings: AuthorSettings) -> str:
    """That a model's price is unknown, and how to give it."""
    return (
        f"the price of {settings.kind} model {settings.model!r} is unknown: give it in USD per million tokens, "
        "[author] price = { input = ..., output = ... }"
    )
