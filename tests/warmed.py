"""Imported by the processes that tests' commands and workers are forked from: what each would do anew once.

That is reading a figure: it imports matplotlib and compiles the patterns of captions, more than a second together.
"""

from counterfoil.tasks.geometry.sources.sampler import sample_row
from tests.warm_workers import let_lie

sample_row("0", 7)
let_lie()
