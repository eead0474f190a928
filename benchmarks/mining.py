"""What mining costs: neighbours beside faiss and sentence-transformers, SimANS's first draw, and equal facts by domain.

`python -m benchmarks.mining search` measures each way in a process of its own (wall and CPU seconds, peak memory,
recall against float64; ``--disk FOLDER``: rows as float16 in a file, which is deleted afterwards), `simans` the
chi-square of a million first draws, `facts DATASET...` the share of the nearest candidates that are true of the anchor
too, which others train on as negatives.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from counterfoil.tasks.mining.index import search
from counterfoil.tasks.mining.neighbours import Neighbours, measure_recall

K = 200
_CHECKED = 100
_AT_ONCE = 50_000


def make_rows(count: int, width: int = 384, seed: int = 0, file: Path | None = None) -> np.ndarray:
    """Unit vectors in clusters of 50 on average, whose members have a cosine of about 0.5, like captions of a kind;
    float16 in a file, if one is named."""
    rng = np.random.default_rng(seed)
    centres = rng.standard_normal((count // 50 + 1, width), dtype=np.float32)
    rows = np.empty((count, width), np.float32)
    if file is not None:
        rows = np.lib.format.open_memmap(file, "w+", np.float16, (count, width))
    for start in range(0, count, _AT_ONCE):
        some = centres[rng.integers(0, len(centres), min(_AT_ONCE, count - start))]
        some += rng.standard_normal(some.shape, dtype=np.float32)
        some /= np.linalg.norm(some, axis=1, keepdims=True)
        rows[start : start + _AT_ONCE] = some
    return rows


def find_true(queries: np.ndarray, rows: np.ndarray, k: int, own: np.ndarray | None) -> np.ndarray:
    """The ``k`` nearest by products in float64, some rows at a time."""
    scores, near = np.full((len(queries), 0), -2.0), np.zeros((len(queries), 0), np.int64)
    for start in range(0, len(rows), _AT_ONCE):
        more = queries.astype(np.float64) @ rows[start : start + _AT_ONCE].astype(np.float64).T
        places = np.arange(start, start + more.shape[1])
        if own is not None:
            more[places[None] == own[:, None]] = -2
        scores = np.concatenate([scores, more], axis=1)
        near = np.concatenate([near, np.broadcast_to(places, more.shape)], axis=1)
        best = np.argsort(-scores, axis=1, kind="stable")[:, :k]
        scores, near = np.take_along_axis(scores, best, 1), np.take_along_axis(near, best, 1)
    return near


class Watch:
    """The most memory that this process held for itself, without the pages of files that it has mapped, in GB."""

    def __init__(self) -> None:
        self.most, self._done = 0.0, threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self) -> None:
        while not self._done.wait(0.1):
            lines = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
            self.most = max(self.most, int(lines["RssAnon"].split()[0]) * 1024 / 1e9)

    def stop(self) -> float:
        self._done.set()
        self._thread.join()
        return self.most


def run_ours(queries: np.ndarray, rows: np.ndarray, itself: bool) -> np.ndarray:
    return search(queries, rows, K, itself=itself).neighbours.rows


def run_faiss(queries: np.ndarray, rows: np.ndarray, itself: bool) -> np.ndarray:
    import faiss

    index = faiss.IndexFlatIP(rows.shape[1])
    index.add(rows)
    _, near = index.search(queries, K + itself)
    return near[:, 1:] if itself else near


def run_sentence_transformers(queries: np.ndarray, rows: np.ndarray, itself: bool) -> np.ndarray:
    """`mine_hard_negatives` with a model that looks its vectors up, so that nothing but mining is measured."""
    import torch
    from datasets import Dataset
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.util import mine_hard_negatives

    vectors = {f"q{i}": vector for i, vector in enumerate(queries)} | {f"r{i}": vector for i, vector in enumerate(rows)}

    class Lookup(torch.nn.Module):
        def forward(self, features: dict[str, Any]) -> dict[str, Any]:
            return features

    class Model(SentenceTransformer):
        def encode(self, sentences: Any, **_: Any) -> Any:
            return np.array([vectors[each] for each in sentences])

        encode_query = encode_document = encode

        def get_embedding_dimension(self) -> int:
            return rows.shape[1]

    count = len(queries)
    pairs = Dataset.from_dict({"query": [f"q{i}" for i in range(count)], "answer": [f"r{i}" for i in range(count)]})
    mined = mine_hard_negatives(
        pairs,
        Model(modules=[Lookup()], device="cpu"),
        corpus=[f"r{i}" for i in range(len(rows))],
        num_negatives=K - 1,
        range_max=K,
        use_faiss=True,
        output_format="n-tuple",
        faiss_batch_size=16384,
        verbose=False,
    )
    found = np.full((count, K), -1)
    for row in mined:
        near = [int(value[1:]) for name, value in row.items() if name.startswith("negative")]
        found[int(row["query"][1:]), : len(near)] = near
    del itself
    return found


LIBRARIES = {
    "ours": ("faiss",),
    "faiss": ("faiss",),
    "sentence-transformers": ("datasets", "faiss", "sentence_transformers.util"),
}
"""Imported before the clock starts."""
WAYS = {"ours": run_ours, "faiss": run_faiss, "sentence-transformers": run_sentence_transformers}


def measure(way: str, queries: int, rows: int, width: int, disk: str) -> dict[str, Any]:
    """One way in this process; without ``queries`` the rows are searched with themselves."""
    if disk:
        path = Path(disk) / "rows.npy"
        base = np.load(path, mmap_mode="r")
    else:
        base = make_rows(rows, width)
    asked = make_rows(queries, width, seed=1) if queries else base
    for library in LIBRARIES[way]:
        importlib.import_module(library)
    watch = Watch()
    before, cpu = time.perf_counter(), time.process_time()
    found = WAYS[way](asked, base, not queries)
    wall, spent = time.perf_counter() - before, time.process_time() - cpu
    peak, own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6, watch.stop()
    some = np.linspace(0, len(asked) - 1, _CHECKED).astype(np.int64)
    # Its own pair is no negative to sentence-transformers: of that way one row fewer is asked for.
    wanted = K - (way == "sentence-transformers")
    true = find_true(asked[some], base, wanted, None if queries else some).astype(np.int32)
    recall = measure_recall(Neighbours(found[some], found[some]), Neighbours(true, true))
    return {"way": way, "wall_s": wall, "cpu_s": spent, "peak_gb": peak, "own_gb": own, "recall": recall}


def measure_all(queries: int, rows: int, width: int, ways: list[str], disk: Path | None) -> None:
    """Each way in a process of its own, one after the other."""
    of = "of themselves" if not queries else f"for {queries:,} queries"
    print(f"{rows:,} rows of {width}, top {K}, {of}{', float16 on a disk' if disk else ''}", flush=True)
    with tempfile.TemporaryDirectory(dir=disk) as folder:
        if disk:
            make_rows(rows, width, file=Path(folder) / "rows.npy")
        for way in ways:
            load = os.getloadavg()[0]
            figures = [str(queries), str(rows), str(width), folder if disk else ""]
            command = [sys.executable, "-m", "benchmarks.mining", "one", way, *figures]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                print(f"{way}: failed\n{done.stderr[-800:]}")
                continue
            told = json.loads(done.stdout.splitlines()[-1])
            print(
                f"{way:>22}: {told['wall_s']:6.1f} s, CPU {told['cpu_s']:6.1f} s, peak {told['peak_gb']:.3f} GB "
                f"(without mapped files {told['own_gb']:.3f}), recall {told['recall']:.5f} (load before {load:.1f})",
                flush=True,
            )


def measure_simans(draws: int = 1_000_000) -> None:
    """The first draw of 200 neighbours against the formula."""
    from scipy import stats

    from counterfoil.tasks.mining.choose import fit_a, weigh

    rng = np.random.default_rng(0)
    scores = np.sort(rng.normal(0.7, 0.05, 200))[::-1]
    a = fit_a(scores[None])
    logs = weigh(scores, 0.75, a, 0.0)
    likely = np.exp(logs) / np.exp(logs).sum()
    counts = np.zeros(200, np.int64)
    for _ in range(draws // 10_000):
        # The first of draw_simans, for ten thousand anchors at once: the largest of log p plus Gumbel noise.
        counts += np.bincount((logs + rng.gumbel(size=(10_000, 200))).argmax(axis=1), minlength=200)
    found = stats.chisquare(counts, likely * draws)
    print(
        f"{draws:,} first draws of 200 neighbours, a = {a:.1f}: chi-square {found.statistic:.1f} of 199, "
        f"p {found.pvalue:.3f}"
    )


def measure_facts(urls: list[str], model: str, k: int, anchors: int) -> None:
    """Of the ``k`` nearest captions of other groups, the share that is true of the anchor, or cannot be told."""
    from counterfoil.storage.dataset import Dataset
    from counterfoil.tasks.contract.context import Context
    from counterfoil.tasks.encoders import load_encoder
    from counterfoil.tasks.engine.history import find_run
    from counterfoil.tasks.engine.registry import load_domain
    from counterfoil.tasks.engine.renderer import MemoRenderer

    encoder, renderer = load_encoder(model), MemoRenderer()
    for url in urls:
        snapshot = Dataset(url).snapshot()
        for name in snapshot.partitions("anchors"):
            domain, rows = load_domain(name), list(snapshot.anchors(name))
            run = find_run(Dataset(url), name)["recipe"]
            settings = domain.settings_type.model_validate(run[name])
            context: Context[Any] = Context(settings, run["dataset"]["seed"], renderer)
            vectors = encoder.encode_texts([row.caption or "" for row in rows])
            near = search(vectors, vectors, min(k, len(rows) - 1), itself=True).neighbours
            told: Counter[str] = Counter()
            hit = 0
            picked = np.unique(np.linspace(0, len(rows) - 1, min(anchors, len(rows))).astype(np.int64))
            for i in picked:
                before = told["true of the anchor"]
                for j in near.rows[i]:
                    other = rows[j]
                    refuted = domain.refutes(other.caption or "", rows[i], context)
                    word = {True: "false", False: "true of the anchor", None: "cannot be told"}[refuted]
                    told[word] += 1
                    told["of its group"] += other.group == rows[i].group
                hit += told["true of the anchor"] > before
            whole = sum(told[word] for word in ("false", "true of the anchor", "cannot be told"))
            shares = ", ".join(f"{word} {100 * told[word] / whole:.2f} %" for word in sorted(told))
            print(
                f"{name}: {len(rows):,} anchors, {len(picked):,} judged, top {k} by {model}: {shares}; "
                f"anchors with one that is true {100 * hit / len(picked):.1f} %",
                flush=True,
            )
    renderer.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    several = commands.add_parser("search")
    several.add_argument("--queries", type=int, default=0)
    several.add_argument("--rows", type=int, default=100_000)
    several.add_argument("--width", type=int, default=384)
    several.add_argument("--disk", type=Path)
    several.add_argument("--ways", nargs="*", default=list(WAYS))
    one = commands.add_parser("one")
    one.add_argument("way", choices=WAYS)
    one.add_argument("queries", type=int)
    one.add_argument("rows", type=int)
    one.add_argument("width", type=int)
    one.add_argument("disk")
    commands.add_parser("simans")
    facts = commands.add_parser("facts")
    facts.add_argument("datasets", nargs="+", type=Path)
    facts.add_argument("--model", default="hashed")
    facts.add_argument("-k", type=int, default=100)
    facts.add_argument("--anchors", type=int, default=200)
    given = parser.parse_args()
    if given.command == "search":
        measure_all(given.queries, given.rows, given.width, given.ways, given.disk)
    elif given.command == "one":
        print(json.dumps(measure(given.way, given.queries, given.rows, given.width, given.disk)))
    elif given.command == "simans":
        measure_simans()
    else:
        measure_facts([str(each) for each in given.datasets], given.model, given.k, given.anchors)


if __name__ == "__main__":
    main()
