"""Names of deployments: of a recipe's own, and of the others that are offered together with a given one."""

from __future__ import annotations

import re
from pathlib import PurePath

AT = "@"
"""What stands between a deployment's name and that of the `counterfoil serve` which offers it."""


def name_recipe(recipe: str) -> str:
    """A recipe's name in those of its deployments.

    >>> name_recipe("recipes/night run.toml")
    'night-run'
    """
    return re.sub(r"[^A-Za-z0-9._-]+", "-", PurePath(recipe).name.removesuffix(".toml"))


def name_like(deployment: str, what: str) -> str:
    """The deployment ``what`` of those that ``deployment`` is one of.

    >>> name_like("make-night@studio", "geometry.rule"), name_like("make-night", "geometry.rule")
    ('geometry.rule@studio', 'geometry.rule')
    """
    _, at, served_as = deployment.partition(AT)
    return what + at + served_as
