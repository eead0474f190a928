"""`python -m counterfoil` is the `counterfoil` command."""

from __future__ import annotations

import gc

# What is imported stays: looking for garbage among it takes a tenth of the time that a command has to start.
gc.set_threshold(20_000, 20, 50)

from counterfoil.flows.__main__ import main  # noqa: E402 - imported by the above

if __name__ == "__main__":
    main()
