"""How long tests wait for what should come at once.

It guards against hanging alone, so it is one number for all, as long as a test may take: a shorter one would fail on a
busy machine, where nothing is wrong.
"""

PATIENCE_S = 800
