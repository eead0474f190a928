"""Confidence intervals of a measured share."""

from __future__ import annotations

import math

Z_95 = 1.959963984540054
"""The standard normal distribution has 95 % of its mass within so many deviations."""


def wilson_interval(errors: int, judged: int, z: float = Z_95) -> tuple[float, float]:
    """The shares (0 to 1) that ``errors`` of ``judged`` rows speak for, at 95 % confidence by default.

    Wilson's score interval (1927): the shares ``p`` for which ``errors / judged`` is within ``z`` standard deviations
    of ``p``. Unlike the usual ``p +- z sqrt(p (1 - p) / n)`` it is right for few errors and few rows: no error among
    fifty rows does not prove a share of nought.

    >>> [round(share, 4) for share in wilson_interval(3, 100)]
    [0.0103, 0.0845]
    >>> [round(share, 4) for share in wilson_interval(0, 50)]
    [0.0, 0.0713]
    >>> wilson_interval(0, 0)
    (0.0, 1.0)
    """
    if not 0 <= errors <= judged:
        raise ValueError(f"{errors} errors of {judged} rows")
    if not judged:
        return 0.0, 1.0
    share, squared = errors / judged, z * z
    centre = share + squared / (2 * judged)
    reach = z * math.sqrt(share * (1 - share) / judged + squared / (4 * judged * judged))
    scale = 1 + squared / judged
    low = 0.0 if errors == 0 else (centre - reach) / scale
    high = 1.0 if errors == judged else (centre + reach) / scale
    return low, high
