"""Imported by the process that tests' commands are forked from: what each would do anew once.

That is reading a figure: it imports matplotlib and compiles the patterns of captions, more than a second together.
"""

import counterfoil.tasks.geometry.warm  # noqa: F401
from tests.warm_workers import let_lie

let_lie()
