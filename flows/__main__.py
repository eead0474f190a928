"""The `counterfoil` command: signals are heeded before anything that takes time is imported."""

from __future__ import annotations

import os
import sys

from counterfoil.flows.process.home import ensure_home
from counterfoil.flows.process.signals import find_heard, heed_signals, leave


def main() -> None:
    """Run the command line. A command that was interrupted says so in one line and exits 130 (SIGTERM: 143)."""
    heed_signals()
    ensure_home()
    try:
        from counterfoil.tasks.showing.logs import show_logs
        from counterfoil.tasks.showing.terminal import escape_traceback

        sys.excepthook = escape_traceback
        show_logs()
        from counterfoil.flows.cli import app, keep_asked

        if "_COUNTERFOIL_COMPLETE" not in os.environ:
            keep_asked(sys.argv[1:])
        app()
    except BaseException as error:
        interrupted = find_heard()
        if interrupted is None or (isinstance(error, SystemExit) and not error.code):
            raise
        if isinstance(error, Exception):  # what failed while the command was ending
            sys.excepthook(type(error), error, error.__traceback__)
        over_echo = "\r\x1b[K" if sys.stderr.isatty() else ""  # the terminal has written ^C
        sys.stderr.write(f"{over_echo}{interrupted.told}{interrupted.advice}\n")
        leave(interrupted.code)


if __name__ == "__main__":
    main()
