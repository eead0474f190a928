"""Which processes a night has, what memory each kind takes, and what CPU time."""

from __future__ import annotations

import threading
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field

import psutil

MARK = "COUNTERFOIL_NIGHT"
"""A variable that all processes of one night inherit: daemons leave their parents."""
EVERY_S = 1.0
KINDS = (
    ("benchmarks.night", "this script, the provider"),
    ("flow_run execute", "run"),
    ("prefect.flow_engine", "run"),
    ("prefect.engine", "run"),
    ("ray::", "Ray workers"),
    ("raylet", "Ray itself"),
    ("gcs_server", "Ray itself"),
    ("/ray/", "Ray itself"),
    ("worker start", "pool worker"),
    ("server start", "Prefect server"),
    ("postgres", "Postgres"),
    ("ThreadedMotoServer", "S3"),
)


OTHER = "sandbox and other"


@dataclass
class Kind:
    """Memory in MB, summed over the processes that lived at once and of the largest one; CPU seconds of all of them."""

    peak_mb: float = 0.0
    largest_mb: float = 0.0
    cpu_s: float = 0.0
    processes: int = 0


@dataclass
class _Seen:
    kind: str = ""
    cpu_s: float = 0.0


@dataclass
class Census:
    """Counts marked processes once a second between `__enter__` and `__exit__`."""

    mark: str
    kinds: dict[str, Kind] = field(default_factory=lambda: defaultdict(Kind))
    peak_mb: float = 0.0

    def __post_init__(self) -> None:
        self._seen: dict[tuple[int, float], _Seen | None] = {}
        # Postgres writes its titles over the environment of its processes: they are known by their parent.
        self._marked: set[int] = set()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Census:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()
        for seen in self._seen.values():
            if seen is not None:
                self.kinds[seen.kind].cpu_s += seen.cpu_s
                self.kinds[seen.kind].processes += 1

    def _watch(self) -> None:
        while not self._ended.wait(EVERY_S):
            self._count()

    def _count(self) -> None:
        now: dict[str, float] = defaultdict(float)
        for process in psutil.process_iter(["pid", "create_time"]):
            with suppress(psutil.Error):
                key = (process.info["pid"], process.info["create_time"])
                if key not in self._seen:
                    ours = process.environ().get(MARK) == self.mark or process.ppid() in self._marked
                    self._seen[key] = _Seen() if ours else None
                    if ours:
                        self._marked.add(process.pid)
                seen = self._seen[key]
                if seen is None:
                    continue
                # A process is its parent's copy at first, and Ray's workers name themselves later.
                seen.kind = recognise(" ".join(process.cmdline()))
                spent, memory = process.cpu_times(), process.memory_info()
                # Pages that are shared, those of the sandbox's prepared interpreter for one, count for each process.
                size = memory.rss / 1e6
                seen.cpu_s = spent.user + spent.system
                now[seen.kind] += size
                self.kinds[seen.kind].largest_mb = max(self.kinds[seen.kind].largest_mb, size)
        for name, size in now.items():
            self.kinds[name].peak_mb = max(self.kinds[name].peak_mb, size)
        self.peak_mb = max(self.peak_mb, sum(now.values()))


def recognise(command: str) -> str:
    """The kind of a process by its command line."""
    return next((kind for word, kind in KINDS if word in command), OTHER)
