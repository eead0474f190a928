"""Imported by the process that workers are forked from: who reads a figure imports matplotlib, and compiles patterns of
captions, a second for each worker."""

from __future__ import annotations

import scipy.ndimage
import scipy.optimize  # noqa: F401

from counterfoil.tasks.geometry.sources.sampler import sample_row

sample_row("0", 7)
