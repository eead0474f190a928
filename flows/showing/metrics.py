"""A run's counters for Prometheus: as a file for node_exporter's textfile collector, or at a port.

A run comes and goes, so the file is the usual way: the exporter of the machine goes on to offer what the last run left.
Labels are names (dataset, stage, family, reason, model); no text of a row or a prompt, and no key, is in any of them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from counterfoil.flows.showing.labels import make_key
from counterfoil.storage.errors import StorageError
from counterfoil.tasks.engine.observing import Observer
from counterfoil.tasks.engine.shards import ShardResult, StageJob
from counterfoil.tasks.llm.errors import AuthorUnavailable
from counterfoil.tasks.llm.store.tables import Spending
from counterfoil.tasks.packages import import_package
from counterfoil.tasks.showing.secrets import hide_known

WRITE_EVERY_S = 10.0
PREFIX = "counterfoil"


class MetricsError(Exception):
    """COUNTERFOIL_METRICS cannot be used. The message says why and what to do."""


class MetricsObserver(Observer):
    """Counts shards and rows as they are made, and reads what was asked and paid from the author's store."""

    def __init__(self, place: str) -> None:
        """``place`` is a folder for the file, or ``HOST:PORT`` (``:9464``) to be scraped at.

        Raises:
            MetricsError: the port is taken, or there is no such folder.
            MissingPackageError: prometheus-client is not installed.
        """
        prometheus_client = import_package("prometheus_client", "--metrics")
        prometheus_client.disable_created_metrics()  # a second series for each counter, which nobody reads
        self._client = prometheus_client
        self._registry = prometheus_client.CollectorRegistry()
        self._folder = None if _is_address(place) else Path(place)
        self._file: Path | None = None
        self._written_at = 0.0
        self._dataset = ""
        if self._folder is None:
            _serve(place, self._registry)
        elif not self._folder.is_dir():
            raise MetricsError(f"COUNTERFOIL_METRICS={place} is no folder and no HOST:PORT: make the folder first")

        def count(name: str, what: str, *labels: str) -> Any:
            return prometheus_client.Counter(
                name, what, ("dataset", *labels), namespace=PREFIX, registry=self._registry
            )

        def measure(name: str, what: str) -> Any:
            return prometheus_client.Summary(
                name, what, ("dataset", "stage"), namespace=PREFIX, registry=self._registry
            )

        self._accepted = count("rows_accepted", "Rows that were made and passed every check.", "family")
        self._rejected = count("rows_rejected", "Rows that were made and thrown away.", "family", "reason")
        self._shards = count("shards", "Shards, made or found made.", "stage", "reused")
        self._pictures = count("pictures", "Pictures that were rendered.", "stage")
        self._kills = count("sandbox_kills", "Scripts that the sandbox ended: time, memory, output, a kill.", "stage")
        self._seconds = measure("shard_seconds", "Seconds that a shard took.")
        self._queue = measure("shard_queue_seconds", "Seconds that a shard waited for a worker.")
        self._succeeded = prometheus_client.Gauge(
            "last_success_timestamp_seconds",
            "When a run of the dataset last ended well.",
            ("dataset",),
            namespace=PREFIX,
            registry=self._registry,
        )

    def begin(self, run_id: str, name: str, dataset: str) -> None:  # noqa: ARG002 - ids would make a file for each run
        self._dataset = hide_known(dataset)
        if self._folder is not None:
            self._file = self._folder / f"{PREFIX}-{make_key(self._dataset, name, 'metrics')}.prom"
        self._write()

    def watch_spending(self, read: Callable[[], Sequence[Spending]]) -> None:
        self._registry.register(_SpendingCollector(self._dataset, read))

    def shard(self, job: StageJob, result: ShardResult, waited_s: float) -> None:
        self._shards.labels(self._dataset, job.stage, str(result.reused).lower()).inc()
        if not result.reused:
            for family, rows in result.accepted.items():
                self._accepted.labels(self._dataset, family).inc(rows)
            for family, codes in result.rejected.items():
                for code, rows in codes.items():
                    self._rejected.labels(self._dataset, family, code).inc(rows)
            self._pictures.labels(self._dataset, job.stage).inc(result.pictures)
            self._kills.labels(self._dataset, job.stage).inc(result.kills)
            self._seconds.labels(self._dataset, job.stage).observe(result.wall_s)
            self._queue.labels(self._dataset, job.stage).observe(waited_s)
        if time.monotonic() - self._written_at >= WRITE_EVERY_S:
            self._write()

    def end(self, succeeded: bool) -> None:
        if succeeded:
            self._succeeded.labels(self._dataset).set_to_current_time()
        self._write()

    def _write(self) -> None:
        self._written_at = time.monotonic()
        if self._file is not None:
            self._client.write_to_textfile(str(self._file), self._registry)


class _SpendingCollector:
    """The author's own sums: each answered request counts once, over all runs of the dataset."""

    def __init__(self, dataset: str, read: Callable[[], Sequence[Spending]]) -> None:
        self.dataset = dataset
        self.read = read

    def collect(self) -> Iterable[Any]:
        from prometheus_client.core import CounterMetricFamily

        labels = ("dataset", "family", "provider", "model")
        requests = CounterMetricFamily(f"{PREFIX}_requests", "Requests that the author answered.", labels=labels)
        tokens = CounterMetricFamily(f"{PREFIX}_tokens", "Tokens of those requests.", labels=(*labels, "kind"))
        usd = CounterMetricFamily(f"{PREFIX}_cost_usd", "What they cost, as far as it is known.", labels=labels)
        try:
            spent = self.read()
        except (AuthorUnavailable, StorageError):
            spent = []  # the store is locked or not there yet: the next reading has it
        for each in _sum_prompts(spent).items():
            of = [self.dataset, *each[0]]
            requests.add_metric(of, each[1][0])
            tokens.add_metric([*of, "input"], each[1][1])
            tokens.add_metric([*of, "output"], each[1][2])
            usd.add_metric(of, each[1][3])
        return requests, tokens, usd


def _sum_prompts(spent: Sequence[Spending]) -> dict[tuple[str, str, str], list[float]]:
    sums: dict[tuple[str, str, str], list[float]] = {}
    for each in spent:
        counts = sums.setdefault((each.family, each.provider, each.model), [0.0] * 4)
        for place, value in enumerate((each.requests, each.input_tokens, each.output_tokens, each.cost_usd)):
            counts[place] += value
    return sums


def _is_address(place: str) -> bool:
    host, colon, port = place.rpartition(":")
    return bool(colon) and port.isdigit() and "/" not in host


def _serve(place: str, registry: Any) -> None:
    import prometheus_client

    host, _, port = place.rpartition(":")
    try:
        prometheus_client.start_http_server(int(port), host or "0.0.0.0", registry)
    except OSError as error:
        raise MetricsError(
            f"COUNTERFOIL_METRICS={place}: the port cannot be had ({error}); two runs of one machine need two, "
            "or a folder for files"
        ) from error
