"""`python -m benchmarks.night`: see the package's docstring."""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.cheap import write_recipe
from benchmarks.night import provider
from benchmarks.night.census import MARK, Census
from benchmarks.night.services import Prefect, kill, run_ray, start
from benchmarks.night.share import split_cpu
from counterfoil.storage.dataset import Dataset
from counterfoil.storage.store import Store
from counterfoil.tasks.engine.history import find_code_version
from tests.serving import find_port, run_s3
from tests.tasks.llm.postgres import run_postgres
from tests.tasks.llm.server import Server

BUCKET = "night"
EVERY_MINUTE = "* * * * *"
SILENCE_S = 90
"""Three beats: one is lost when the server is killed."""
MOMENTS = (0.2, 0.45, 0.7)
"""The share of the night's shards that are made when something is killed."""
ENDED = ("COMPLETED", "FAILED", "CRASHED", "CANCELLED")
LOOK_S = 3.0


@dataclass
class Night:
    """What there is to look at and to kill."""

    prefect: Prefect
    cluster: Any
    folder: Path
    shards: int
    """How many are made in all, by the undisturbed run."""
    store: Store = field(init=False)
    killed: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.store = Store(f"s3://{BUCKET}/data")

    def start_worker(self) -> None:
        command = [sys.executable, "-m", "prefect", "worker", "start", "--pool", "counterfoil"]
        self.worker = start(command, self.folder / "worker.log", {"PREFECT_WORKER_QUERY_SECONDS": "2"})

    def kill_worker(self) -> str:
        kill(self.worker)
        self.start_worker()
        return "the pool's worker and the run in it"

    def kill_node(self) -> str:
        node = next(iter(self.cluster.worker_nodes))
        self.cluster.remove_node(node, allow_graceful=False)
        self.cluster.add_node(num_cpus=1, object_store_memory=80 << 20)
        return "a Ray node"

    def kill_server(self) -> str:
        kill(self.prefect.process)
        self.prefect.start()
        return "Prefect's server"

    def find_runs(self) -> list[dict[str, Any]]:
        """Runs of the schedule that began, oldest first."""
        wanted = {"deployments": {"name": {"any_": ["make-night"]}}, "sort": "EXPECTED_START_TIME_ASC", "limit": 200}
        runs = self.prefect.ask("/flow_runs/filter", wanted)
        return [run for run in runs if run["start_time"]]


def count_shards(store: Store) -> int:
    """Shards that are staged."""
    return sum(path.endswith(".json") and len(Path(path).stem) == 64 for path in store.list("work"))


def await_night(night: Night, limit_s: float, disturb: bool) -> float:
    """Seconds from the first run's start until one is Completed; what is due is killed meanwhile."""
    due: list[tuple[float, Callable[[], str]]] = [
        (moment * night.shards, act)
        for moment, act in zip(MOMENTS, (night.kill_worker, night.kill_node, night.kill_server), strict=True)
    ]
    began, deadline, shown = 0.0, time.monotonic() + limit_s, ""
    while time.monotonic() < deadline:
        runs = night.find_runs()
        if runs and not began:
            began = time.monotonic()
        states = ", ".join(f"{run['state_name']}" for run in runs)
        made = count_shards(night.store)
        if states != shown:
            say(f"runs: {states or 'none yet'}; {made} of {night.shards} shards")
            shown = states
        if any(run["state_type"] == "COMPLETED" for run in runs):
            return time.monotonic() - began
        if disturb and due and made >= due[0][0]:
            what = due.pop(0)[1]()
            night.killed.append(what)
            say(f"kill -9 at {made} of {night.shards} shards: {what}")
        time.sleep(LOOK_S)
    raise SystemExit(f"the night did not end within {limit_s:.0f} s: {night.folder}")


def run_undisturbed(folder: Path, text: str) -> float:
    """Seconds of the same recipe on this machine alone."""
    recipe = folder / "alone.toml"
    recipe.write_text(text)
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "counterfoil", "-q", "run", str(recipe)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(done.stderr)
    return time.monotonic() - began


def deploy(folder: Path, recipe: Path) -> None:
    """The work pool, the schedule and the watch over dead hosts."""
    command = [sys.executable, "-m", "counterfoil", "deploy", "--recipe", str(recipe), "--folder", str(folder)]
    command += ["--cron", EVERY_MINUTE, "--silence", str(SILENCE_S)]
    subprocess.run(command, check=True, capture_output=True)


def make_database(url: str, name: str) -> str:
    """Make a database beside ``url``'s; its URL."""
    import psycopg

    with closing(psycopg.connect(url.replace("+psycopg", "").replace("+asyncpg", ""), autocommit=True)) as connection:
        connection.execute(f"CREATE DATABASE {name}")  # type: ignore[arg-type]
    return url.rpartition("/")[0] + f"/{name}"


def measure_database(url: str) -> int:
    """Its bytes."""
    import psycopg

    with closing(psycopg.connect(url.replace("+asyncpg", ""), autocommit=True)) as connection:
        found = connection.execute("SELECT pg_database_size(current_database())").fetchone()
    assert found is not None
    return int(found[0])


def count_requests(server: Server) -> tuple[int, int, int]:
    """Requests that came, that were answered, and how many different ones."""
    answered = server.count_answered()
    return server.arrived, sum(answered.values()), len(answered)


def describe_files(url: str) -> dict[str, str]:
    """Each published file's digest."""
    return {file.path: file.sha256 for file in Dataset(url).active_files()}


def say(text: str) -> None:
    """A line, at once."""
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--anchors", type=int, default=100_000, help="about so many, seven of flowcharts to one scene")
    parser.add_argument("--charts", type=int, help="of --anchors, unless given; nine to eleven anchors each")
    parser.add_argument("--scenes", type=int, help="of --anchors, unless given")
    parser.add_argument("--shard", type=int, default=256)
    parser.add_argument("--faults", type=float, default=0.01, help="share of requests that fail")
    parser.add_argument("--limit-s", type=float, default=6 * 3600)
    parser.add_argument("--undisturbed", action="store_true", help="kill nothing: what the cluster itself costs")
    parser.add_argument("--to", type=Path, help="folder in which the undisturbed dataset and the logs stay")
    parser.add_argument(
        "--alone", action="store_true", help="only the undisturbed run; a call with the same --to goes on from it"
    )
    options = parser.parse_args()
    options.charts = options.anchors * 8 // 100 if options.charts is None else options.charts
    options.scenes = options.anchors * 13 // 100 if options.scenes is None else options.scenes
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # and no service stays behind
    mark = uuid.uuid4().hex
    os.environ |= {MARK: mark, "OPENAI_API_KEY": "test", "DO_NOT_TRACK": "1", "RAY_USAGE_STATS_ENABLED": "0"}
    os.environ["PYTHONPATH"] = os.pathsep.join([str(Path.cwd()), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    os.environ.pop("PREFECT_API_URL", None)
    server = Server(provider.answer)
    if options.to is not None:
        options.to.mkdir(parents=True, exist_ok=True)
        server.port = choose_port(options.to / "port")
        with server:
            simulate(options, options.to.absolute(), server, mark)
        return
    with server, tempfile.TemporaryDirectory(prefix="night", ignore_cleanup_errors=True) as folder:
        simulate(options, Path(folder), server, mark)


def choose_port(kept: Path) -> int:
    """A port of the provider that later calls choose again: its address is in the fingerprints of what is made."""
    if not kept.exists():
        kept.write_text(str(find_port()))
    return int(kept.read_text())


def simulate(options: argparse.Namespace, folder: Path, server: Server, mark: str) -> None:
    """The undisturbed run, the night, and what they say of each other."""
    fields: dict[str, Any] = {
        "shard": options.shard,
        "charts": options.charts,
        "scenes": options.scenes,
        "url": server.openai_url,
    }
    local = str(folder / "alone")
    kept = folder / "alone.json"
    if not kept.exists():
        alone_s = run_undisturbed(folder, write_recipe(local, **fields))
        kept.write_text(json.dumps([alone_s, count_requests(server)[2], find_code_version()]))
    alone_s, fewest, version = json.loads(kept.read_text())
    if version != find_code_version():
        raise SystemExit(f"{folder} was made by code {version}, which its rows name: give another folder")
    if options.alone:
        say(f"undisturbed: {alone_s:.0f} s, {fewest} requests")
        return
    wanted, shards = describe_files(local), count_shards(Store(local))
    counts = Dataset(local).counts()
    anchors, contrasts = sum(counts.anchors.values()), sum(counts.contrasts.values())
    say(
        f"undisturbed: {anchors:,} anchors, {contrasts:,} contrasts, {shards} shards, {fewest} requests, "
        f"{alone_s:.0f} s"
    )

    server.log.clear()
    server.arrived = 0
    server.chance = provider.draw_faults(options.faults)
    with run_postgres("asyncpg") as address, run_s3(BUCKET) as s3:
        os.environ |= s3
        database = make_database(address, "prefect")
        os.environ["COUNTERFOIL_STORE"] = make_database(address, "answers").replace("+asyncpg", "+psycopg")
        (folder / "prefect").mkdir(exist_ok=True)
        prefect = Prefect(folder / "prefect", database)
        prefect.start()
        os.environ |= {"PREFECT_API_URL": prefect.api, "PREFECT_HOME": str(folder / "prefect")}
        recipe = folder / "night.toml"
        recipe.write_text(write_recipe(f"s3://{BUCKET}/data", runner="ray", **fields))
        deploy(folder, recipe)
        with run_ray(2) as cluster, Census(mark) as census:
            night = Night(prefect, cluster, folder, shards)
            empty = measure_database(database)
            night.start_worker()
            try:
                night_s = await_night(night, options.limit_s, not options.undisturbed)
                grown = measure_database(database) - empty
                found = describe_files(f"s3://{BUCKET}/data")
            finally:
                kill(night.worker)
                kill(prefect.process)
    arrived, answered, distinct = count_requests(server)
    same = sum(found.get(path) == digest for path, digest in wanted.items())
    say(f"the night: {night_s:.0f} s ({night_s / alone_s:.2f} of the undisturbed run), {len(night.killed)} kills")
    say(f"files equal to the undisturbed run's: {same} of {len(wanted)}, and {len(found) - same} others")
    say(
        f"requests: {arrived} came, {answered} answered, {distinct} different; the fewest possible {fewest}, "
        f"{100 * (answered - fewest) / max(1, fewest):.2f} % more"
    )
    rows = anchors + contrasts
    say(f"Prefect's database: +{grown / 1024:,.0f} KB, {grown / 1024 / rows * 1000:.1f} KB for 1,000 rows")
    describe_census(census)
    (folder / "night.json").write_text(
        json.dumps(
            {
                "anchors": anchors,
                "contrasts": contrasts,
                "night_s": night_s,
                "database_bytes": grown,
                "cpu_s": {name: kind.cpu_s for name, kind in census.kinds.items()},
            }
        )
    )


def describe_census(census: Census) -> None:
    """A line for each kind of process, and orchestration's share of the CPU time."""
    for name, kind in sorted(census.kinds.items(), key=lambda item: -item[1].cpu_s):
        say(
            f"{name:<26} {kind.cpu_s:8.0f} CPU s, at most {kind.peak_mb:6.0f} MB at once, "
            f"{kind.largest_mb:6.0f} MB the largest of {kind.processes}"
        )
    own, whole = split_cpu({name: kind.cpu_s for name, kind in census.kinds.items()})
    say(
        f"all at once: at most {census.peak_mb:,.0f} MB; Prefect's server and worker: {own / whole:.1%} of the CPU time"
    )


if __name__ == "__main__":
    main()
