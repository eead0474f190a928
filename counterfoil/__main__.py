"""`python -m counterfoil` is the `counterfoil` command."""

from __future__ import annotations

from counterfoil.flows.__main__ import main

if __name__ == "__main__":
    main()
