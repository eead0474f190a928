"""How near the author comes to the ideal that its concurrency allows, and whether its memory stays flat.

10,000 different requests, by threads that block in ``ask`` as makers do, against a loopback server in a process of its
own that answers each in 200 ms. The ideal is requests x 0.2 s / concurrency. The peer beside it is the bare SDK with
a semaphore: no store, no limits, no validation.

    python benchmarks/llm.py [--requests 10000] [--concurrency 32] [--provider openai]
"""

from __future__ import annotations

import argparse
import asyncio
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
DELAY_S = 0.2
MEBIBYTE = 1024 * 1024


@contextmanager
def start_server() -> Iterator[int]:
    """The test server in its own process; yields its port."""
    command = [sys.executable, "-m", "tests.tasks.llm.server", "--delay", str(DELAY_S)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield int(process.stdout.readline())
    finally:
        process.terminate()
        process.wait()


def measure_author(provider: str, url: str, requests: int, concurrency: int) -> dict[str, float]:
    """Seconds, CPU seconds and resident memory of `requests` asks."""
    from counterfoil.tasks.llm import open_author

    marks: dict[int, float] = {}
    done = 0
    lock = threading.Lock()
    with tempfile.TemporaryDirectory() as work:
        section = {"kind": provider, "model": "m", "base_url": url, "concurrency": concurrency}
        author = open_author(section, work=work)
        assert author is not None

        def ask(i: int) -> None:
            nonlocal done
            variables = {"question": f"problem {i}", "answer": "1", "markings": True}
            author.ask("geometry.script", variables, family="geometry.image")
            with lock:
                done += 1
                if done in (requests // 10, requests):
                    marks[done] = read_resident()

        ask(-1)
        done = 0
        started, cpu = time.perf_counter(), time.process_time()
        with ThreadPoolExecutor(concurrency) as pool:
            for _ in pool.map(ask, range(requests)):
                pass
        seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
        author.close()
    return {"seconds": seconds, "cpu": cpu, "early": marks[requests // 10], "late": marks[requests]}


def measure_sdk(provider: str, url: str, requests: int, concurrency: int) -> float:
    """Seconds of the same requests by the bare SDK."""

    async def play() -> float:
        client: Any
        if provider == "openai":
            import openai

            client = openai.AsyncOpenAI(api_key="x", base_url=url, max_retries=0)
            create = client.chat.completions.create
        else:
            import anthropic

            client = anthropic.AsyncAnthropic(api_key="x", base_url=url, max_retries=0)
            create = client.messages.create
        gate = asyncio.Semaphore(concurrency)

        async def one(i: int) -> None:
            async with gate:
                await create(model="m", max_tokens=100, messages=[{"role": "user", "content": f"problem {i}" * 100}])

        await one(-1)
        started = time.perf_counter()
        await asyncio.gather(*(one(i) for i in range(requests)))
        return time.perf_counter() - started

    return asyncio.run(play())


def read_resident() -> float:
    """Resident memory of this process, MiB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / MEBIBYTE


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--concurrency", type=int, default=32)
    parser.add_argument("--provider", choices=("openai", "anthropic"), default="openai")
    parser.add_argument("--without-peer", action="store_true")
    options = parser.parse_args()
    os.environ[f"{options.provider.upper()}_API_KEY"] = "benchmark"
    sys.path.insert(0, str(ROOT))
    ideal = options.requests * DELAY_S / options.concurrency
    with start_server() as port:
        url = f"http://127.0.0.1:{port}" + ("/v1" if options.provider == "openai" else "")
        got = measure_author(options.provider, url, options.requests, options.concurrency)
        print(f"{options.provider}, {options.requests} requests of {DELAY_S} s, concurrency {options.concurrency}")
        print(f"author   {got['seconds']:.1f} s, {ideal / got['seconds']:.1%} of the ideal ({ideal:.1f} s)")
        print(f"         {got['cpu'] / options.requests * 1000:.2f} ms CPU a request, store included")
        print(f"memory   {got['early']:.0f} MiB after a tenth, {got['late']:.0f} MiB at the end")
        if not options.without_peer:
            bare = measure_sdk(options.provider, url, options.requests, options.concurrency)
            print(f"bare SDK {bare:.1f} s, {ideal / bare:.1%}; author takes {got['seconds'] / bare:.3f} times as long")


if __name__ == "__main__":
    main()
