"""Scripts per second and CPU time per script: the sandbox beside plain matplotlib, over the same scripts in one run.

    python benchmarks/sandbox.py                 # 1,000 scripts, interleaved in blocks; prints the ratios
    python benchmarks/sandbox.py --soak 10000    # one worker, memory and descriptors at intervals

The three ways take turns block by block, so that other load on the machine falls on all of them alike.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from counterfoil.renderers.results import Outcome
from counterfoil.renderers.sandbox import SandboxRenderer, open_renderer

TRIANGLE = """import matplotlib.pyplot as plt

A, B, C = (0, 0), ({a}, 0), ({b}, {c})
fig, ax = plt.subplots(figsize=(5.12, 5.12), dpi=100)
ax.plot([A[0], B[0], C[0], A[0]], [A[1], B[1], C[1], A[1]], color="black", linewidth=1.5)
ax.text(A[0] - 0.3, A[1] - 0.4, "$A$", fontsize=14)
ax.text(B[0] + 0.1, B[1] - 0.4, "$B$", fontsize=14)
ax.text(C[0], C[1] + 0.1, "$C$", fontsize=14)
ax.text({a} / 2, -0.5, "{a}", fontsize=12, ha="center")
ax.text({b} / 2 - 0.6, {c} / 2, "{c}", fontsize=12)
ax.set_xlim(-1, 9)
ax.set_ylim(-1, 9)
ax.set_aspect("equal")
ax.axis("off")
plt.savefig("triangle.png", dpi=100)
plt.close()
"""
CIRCLE = """import matplotlib.pyplot as plt
import numpy as np

plt.figure(figsize=(5.12, 5.12))
t = np.linspace(0, 2 * np.pi, 200)
plt.plot({c} * np.cos(t), {c} * np.sin(t), "k-")
plt.plot([0, {c} * np.cos({b})], [0, {c} * np.sin({b})], "k-")
plt.plot(0, 0, "ko", markersize=4)
plt.annotate("O", (0, 0), textcoords="offset points", xytext=(6, 6))
plt.text({c} / 2, 0.3, r"$r = {c}$", fontsize=12)
plt.axis("equal")
plt.axis("off")
plt.savefig("circle.png", dpi=100)
plt.close()
"""
TIGHT = """import matplotlib.pyplot as plt
from matplotlib.patches import Arc, Polygon

fig = plt.figure(figsize=(5, 5))
ax = fig.add_subplot(111)
ax.add_patch(Polygon([(0, 0), ({a}, 0), ({a} + {b}, {c}), ({b}, {c})], closed=True, fill=False, linewidth=1.5))
ax.add_patch(Arc((0, 0), 1, 1, theta1=0, theta2=40))
for name, x, y in (("P", 0, 0), ("Q", {a}, 0), ("R", {a} + {b}, {c}), ("S", {b}, {c})):
    ax.annotate(name, xy=(x, y), xytext=(4, 4), textcoords="offset points", fontsize=13)
ax.text(0.8, 0.2, r"$40^\\circ$")
ax.set_xlim(-1, 14)
ax.set_ylim(-1, 9)
ax.set_aspect("equal")
ax.axis("off")
fig.savefig("parallelogram.png", dpi=100, bbox_inches="tight")
plt.close(fig)
"""
KINDS = {"triangle": TRIANGLE, "circle": CIRCLE, "tight": TIGHT}


def make_scripts(kind: str, count: int) -> list[str]:
    """``count`` scripts of one kind, each with numbers of its own."""
    rng = random.Random(11)
    draw = rng.uniform
    names = list(KINDS) if kind == "mixed" else [kind]
    return [
        KINDS[names[i % len(names)]].format(a=round(draw(3, 8), 2), b=round(draw(0.5, 4), 2), c=round(draw(2, 7), 2))
        for i in range(count)
    ]


class Plain:
    """The scripts in this process, by plain matplotlib."""

    name = "plain savefig in this process"

    def __init__(self) -> None:
        import matplotlib

        matplotlib.use("Agg")

    def run(self, scripts: list[str]) -> None:
        for script in scripts:
            exec(compile(script, "script.py", "exec"), {"__name__": "__main__"})


class Fresh:
    """Each script as ``python script.py``."""

    name = "python script.py"

    def run(self, scripts: list[str]) -> None:
        for script in scripts:
            Path("script.py").write_text(script)
            environment = {**os.environ, "MPLBACKEND": "Agg"}
            subprocess.run([sys.executable, "script.py"], check=True, env=environment)


class Sandboxed:
    """Each script through the sandbox; counts the CPU time of the worker's children too."""

    def __init__(self, renderer: SandboxRenderer) -> None:
        self.renderer = renderer
        self.name = f"sandbox {renderer.level}"
        self.bytes = 0

    def run(self, scripts: list[str]) -> None:
        for script in scripts:
            rendering = self.renderer.render(script)
            if rendering.outcome is not Outcome.OK or rendering.png is None:
                raise SystemExit(f"{rendering.outcome}: {rendering.log}")
            self.bytes += len(rendering.png)


class Together(Sandboxed):
    """Ten scripts to a child, as our own author's of one anchor."""

    def __init__(self, renderer: SandboxRenderer) -> None:
        super().__init__(renderer)
        self.name += ", ten to a child"

    def run(self, scripts: list[str]) -> None:
        for start in range(0, len(scripts), 10):
            for rendering in self.renderer.render_together(scripts[start : start + 10]):
                if rendering.outcome is not Outcome.OK:
                    raise SystemExit(f"{rendering.outcome}: {rendering.log}")


def read_cpu(pids: list[int]) -> float:
    """CPU seconds of this process, its children, and the given processes with all that they reaped."""
    total = sum(sum(os.times()[:4]) for _ in (0,))
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        total += sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return total


def find_tree(pid: int) -> list[int]:
    """A process and those below it."""
    found = [pid]
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            found += find_tree(int(child))
    return found


def compare(kind: str, count: int, block: int, fresh_count: int) -> None:
    """Print scripts per second and CPU ms per script of each way, and the ratios."""
    scripts = make_scripts(kind, count)
    with open_renderer("L3") as renderer, tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        sandboxed = Sandboxed(renderer)
        ways: list[Plain | Sandboxed | Fresh] = [Plain(), sandboxed, Together(renderer), Fresh()]
        for way in ways[:3]:
            way.run(scripts[:10])
        worker = find_tree(renderer.worker_pid)[:2]
        sandboxed.bytes = 0
        spent = {way.name: [0.0, 0.0, 0] for way in ways}
        blocks = [scripts[i : i + block] for i in range(0, count, block)]
        for number, part in enumerate(blocks):
            order = ways[:3] if number % 2 else ways[2::-1]
            if sum(map(len, blocks[:number])) * fresh_count // count > spent[ways[3].name][2]:
                order = [*order, ways[3]]
            for way in order:
                some = part[: max(1, fresh_count // len(blocks))] if isinstance(way, Fresh) else part
                wall, cpu = time.perf_counter(), read_cpu(worker)
                way.run(some)
                entry = spent[way.name]
                entry[0] += time.perf_counter() - wall
                entry[1] += read_cpu(worker) - cpu
                entry[2] += len(some)
        os.chdir("/")
    print(f"{count} {kind} scripts, load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    rates = {}
    for name, (wall, cpu, done) in spent.items():
        rates[name] = done / wall
        print(f"  {name:32} {done / wall:7.1f} scripts/s  {cpu / done * 1e3:7.1f} ms CPU  ({done} scripts)")
    plain, sandbox, together, fresh = (rates[way.name] for way in ways)
    plain_cpu, alone_cpu, together_cpu = (spent[way.name][1] / spent[way.name][2] for way in ways[:3])
    print(f"  sandbox / plain  {sandbox / plain:.2f} by wall, {plain_cpu / alone_cpu:.2f} by CPU")
    print(f"  ten to a child / one  {together / sandbox:.2f} by wall, {alone_cpu / together_cpu:.2f} by CPU")
    print(f"  sandbox / fresh  {sandbox / fresh:.1f} by wall")
    print(f"  PNG bytes per picture {sandboxed.bytes / count:.0f}")


def soak(count: int) -> None:
    """Run ``count`` scripts on one worker and print memory and open descriptors at intervals."""
    with open_renderer("L3") as renderer:
        step = max(1, count // 10)
        for number, script in enumerate(make_scripts("mixed", count), 1):
            rendering = renderer.render(script)
            if rendering.outcome is not Outcome.OK:
                raise SystemExit(f"script {number}: {rendering.outcome}: {rendering.log}")
            if number % step == 0 or number == 1:
                own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
                parts = [(read_memory(pid), count_descriptors(pid)) for pid in find_tree(renderer.worker_pid)]
                sizes = ", ".join(f"{size / 1024:.1f} MiB ({fds} fds)" for size, fds in parts)
                here = count_descriptors(os.getpid())
                print(f"{number:6} scripts: this process {own / 1024:.1f} MiB ({here} fds); worker {sizes}", flush=True)
        print(f"workers replaced: {renderer.replaced}")


def read_memory(pid: int) -> int:
    """Resident KiB."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


def count_descriptors(pid: int) -> int:
    """Open descriptors; -1 where they may not be counted."""
    try:
        return len(list(Path(f"/proc/{pid}/fd").iterdir()))
    except PermissionError:
        return -1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--kind", choices=[*KINDS, "mixed"], default="triangle")
    parser.add_argument("--block", type=int, default=50)
    parser.add_argument("--fresh", type=int, default=20, help="how many of the scripts `python script.py` runs")
    parser.add_argument("--soak", type=int, help="run this many scripts on one worker instead")
    options = parser.parse_args()
    if options.soak:
        soak(options.soak)
    else:
        compare(options.kind, options.count, options.block, options.fresh)


if __name__ == "__main__":
    main()
