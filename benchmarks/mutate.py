"""Whether the tests notice when what decides truth decides otherwise: random small changes, each run against them.

    python -m benchmarks.mutate WORK [--count 200] [--seed 7] [--only tasks/tells ...] [--cpu 60] [--within 300]

Draws mutants of verifiers, choosers, judges and figures (`TARGETS`) and runs each against the tests that reach its
lines, the quickest first, until one fails. Which tests reach a line is measured once for all modules of a folder, by
running those that import one of them. One process has imported the libraries and forks for each mutant, so that one
takes the seconds of its tests alone. What is known stands in the folder WORK: the same command goes on from there.

Of a mutant that no test notices, the tests are run once more with both values compared at its place: where they never
differ it may be that nothing could tell them apart, and else a test looks away. Those are the ones to read first.
"""

from __future__ import annotations

import argparse
import builtins
import importlib
import importlib.machinery
import importlib.util
import json
import math
import os
import random
import re
import resource
import select
import signal
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

from benchmarks.mutants import DIFFERS, Mutant, count_changes, make_mutant

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "counterfoil"
"""Modules are imported from here, by links to the folders beside it."""
TARGETS = (
    "tasks/contract/choosing*.py",
    "tasks/contract/quotas.py",
    "tasks/contract/verdict.py",
    "tasks/contract/worlds.py",
    "tasks/mining/choose.py",
    "tasks/mining/sound.py",
    "tasks/contract/wording.py",
    "tasks/beside/*.py",
    "tasks/caption/comparing.py",
    "tasks/caption/examining.py",
    "tasks/caption/excluding.py",
    "tasks/caption/implying.py",
    "tasks/caption/refuting.py",
    "tasks/caption/near/*.py",
    "tasks/caption/plan/*.py",
    "tasks/caption/rewording/claims.py",
    "tasks/caption/scenes/sight/*.py",
    "tasks/caption/wording.py",
    "tasks/composite/halves.py",
    "tasks/composite/picture.py",
    "tasks/composite/saying.py",
    "tasks/flowchart/edits/choice.py",
    "tasks/tells/*.py",
    "tasks/evaluation/*.py",
    "tasks/audit/verify.py",
    "tasks/audit/survey.py",
    "tasks/*/checks.py",
    "tasks/*/families/*.py",
    "tasks/flowchart/truth.py",
    "tasks/flowchart/chart/sight.py",
    "tasks/flowchart/wording.py",
    "tasks/geometry/changes.py",
    "tasks/geometry/facts/judge.py",
    "tasks/geometry/measuring/closed.py",
    "tasks/geometry/wording.py",
    "tasks/geometry/refuting.py",
    "tasks/geometry/figure/claims.py",
    "tasks/theorem/contradiction.py",
    "tasks/theorem/truth.py",
)
"""What chooses, what judges blindly, what counts, what verifies, and what words statements as true or false."""
_TRUTHS = ("caption/test_photograph_truths.py", "caption/test_truths.py", "foreign/test_examining.py")
_BESIDE = ("beside/test_beside.py",)
ALSO = {
    "tasks/contract/wording.py": _BESIDE,
    "tasks/caption/wording.py": _BESIDE,
    "tasks/flowchart/wording.py": _BESIDE,
    "tasks/geometry/wording.py": _BESIDE,
    "tasks/contract/": ("test_choosing.py", "test_quotas.py", "test_worlds.py", "test_guest_mistakes.py"),
    "tasks/geometry/families/": ("geometry/test_families.py", "geometry/test_template.py", "geometry/test_mirror.py"),
    "tasks/geometry/checks.py": ("geometry/test_mutations.py", "geometry/test_families.py"),
    "tasks/geometry/changes.py": ("geometry/test_worlds.py", "test_changes.py"),
    "tasks/geometry/figure/claims.py": ("geometry/test_refuting.py",),
    "tasks/geometry/measuring/closed.py": ("geometry/test_look.py",),
    "tasks/flowchart/families/": ("flowchart/test_families.py", "flowchart/test_truth.py"),
    "tasks/caption/checks.py": ("caption/test_families.py", "caption/test_truths.py"),
    "tasks/caption/families/": ("caption/test_plan.py", "caption/test_families.py", "caption/test_truths.py"),
    "tasks/caption/comparing.py": (*_TRUTHS, "caption/test_interchange.py"),
    "tasks/caption/examining.py": (*_TRUTHS, "caption/test_grades.py"),
    "tasks/caption/excluding.py": _TRUTHS,
    "tasks/caption/implying.py": (*_TRUTHS, "caption/test_rephrase.py"),
    "tasks/caption/near/": ("caption/test_near.py", "caption/test_add.py", "caption/test_families.py"),
    "tasks/caption/plan/": ("caption/test_plan.py", "caption/test_families.py"),
    "tasks/caption/rewording/claims.py": _TRUTHS,
    "tasks/caption/scenes/sight/": ("caption/test_scene_pictures.py", "caption/test_truths.py"),
    "tasks/mining/choose.py": ("mining/test_retrieval.py",),
    "tasks/theorem/contradiction.py": ("theorem/test_truths.py", "theorem/test_statements.py"),
    "tasks/theorem/families/": ("theorem/test_families.py", "theorem/test_statements.py"),
}
"""Tests of `tests/tasks` that reach a module through its domain, and import it by no name."""
DOCTESTS = "tests/test_doctests.py"
OURS = ("counterfoil", "flows", "tasks", "prompts", "renderers", "storage", "tests", "benchmarks")
STEPS = 10_000
"""Lines of one function that are noted in one test, as noting each costs more than running it."""
KILLED, SURVIVED, SAME, MISSED, NONE = "killed", "survived", "never differs", "not reached", "no result"
QUIET = ["-q", "--no-header", "-p", "no:cacheprovider", "-p", "no:xdist", "--tb=no"]


@dataclass
class Reached:
    """Which tests reach which lines of modules, as measured."""

    lines: dict[str, dict[str, list[int]]]
    """By module and test; what fixtures and imports reach stands under ""."""
    seconds: dict[str, float]
    """CPU of each test, its setup with it"""
    libraries: list[str]
    broken: list[str]
    """tests that fail without any change"""

    def find(self, mutant: Mutant, most: float) -> list[str]:
        """The tests that reach a mutant, the quickest first, up to so many seconds of CPU and one at least; where but
        fixtures and imports do, all that are of the module."""
        changed = {*range(mutant.first, mutant.last + 1)}
        by_test = self.lines.get(mutant.path, {})
        names = {name for name, lines in by_test.items() if changed & {*lines}} - {*self.broken}
        if "" in names:
            files = {*find_tests(mutant.path)}
            names |= {name for name in self.seconds if name.partition("::")[0] in files} - {*self.broken}
        names -= {""}
        found, spent = [], 0.0
        for name in sorted(names, key=lambda name: (self.seconds[name], name)):
            if found and spent + self.seconds[name] > most:
                break
            found.append(name)
            spent += self.seconds[name]
        return found


def name_module(path: str) -> str:
    """The name by which a file of the repository is imported."""
    return "counterfoil." + path.removesuffix(".py").replace("/", ".")


def find_tests(path: str) -> list[str]:
    """Test files that import the module, of the folder that mirrors its own; all of that folder where none does. Where
    no folder mirrors it, those of the next one above by themselves."""
    module = name_module(path)
    package, _, name = module.rpartition(".")
    folder, glob = Path(path).parent, "**/test_*.py"
    while not (ROOT / "tests" / folder).is_dir():
        folder, glob = folder.parent, "test_*.py"
    imports = re.compile(rf"from {re.escape(module)} import|from {re.escape(package)} import .*\b{name}\b")
    files = sorted((ROOT / "tests" / folder).glob(glob))
    direct = [file for file in files if imports.search(file.read_text(encoding="utf-8"))]
    also = [ROOT / "tests/tasks" / each for start, names in ALSO.items() if path.startswith(start) for each in names]
    return [str(file.relative_to(ROOT)) for file in sorted({*direct, *also}) or files]


@dataclass(eq=False)
class Tracer:
    """A pytest plugin: the lines of files that each test reaches; what fixtures and imports reach stands under ""."""

    paths: dict[str, str]
    """Modules by the files that they are imported from."""
    lines: dict[tuple[str, str], set[int]] = field(default_factory=lambda: defaultdict(set))
    seconds: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)
    now: str = ""
    steps: Counter[tuple[str, CodeType]] = field(default_factory=Counter)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Of the examples in docstrings, the modules' own."""
        own = tuple(f"[{name_module(path)}]" for path in self.paths.values())
        items[:] = [item for item in items if not item.nodeid.startswith(DOCTESTS) or item.nodeid.endswith(own)]

    def trace(self, frame: FrameType, event: str, argument: object) -> Callable[..., Any] | None:
        del event, argument
        code = frame.f_code
        return self._note if code.co_filename in self.paths and self.steps[self.now, code] < STEPS else None

    def _note(self, frame: FrameType, event: str, argument: object) -> Callable[..., Any] | None:
        del event, argument
        self.lines[frame.f_code.co_filename, self.now].add(frame.f_lineno)
        self.steps[self.now, frame.f_code] += 1
        return self._note if self.steps[self.now, frame.f_code] < STEPS else None

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        begun = time.process_time()
        result = yield
        self.seconds[item.nodeid] += time.process_time() - begun
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        self.now = item.nodeid
        try:
            return (yield)
        finally:
            self.now = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.broken.append(report.nodeid)


@dataclass(eq=False)
class Chosen:
    """A pytest plugin: these tests alone, in this order."""

    names: Sequence[str]

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        places = {name: place for place, name in enumerate(self.names)}
        items[:] = sorted((item for item in items if item.nodeid in places), key=lambda item: places[item.nodeid])


class Changed(importlib.machinery.SourceFileLoader):
    """Loads a module from other source than its file's."""

    def __init__(self, name: str, path: str, source: str) -> None:
        super().__init__(name, path)
        self.source = source

    def get_code(self, fullname: str) -> CodeType:
        return compile(self.source, self.get_filename(fullname), "exec")


def change_module(path: str, source: str) -> None:
    """From here on this process imports the module from this source."""
    name = name_module(path)

    class Finder:
        @staticmethod
        def find_spec(fullname: str, *_: object) -> importlib.machinery.ModuleSpec | None:
            if fullname != name:
                return None
            place = str(PACKAGE / path)
            return importlib.util.spec_from_file_location(name, place, loader=Changed(name, place, source))

    sys.meta_path.insert(0, Finder)  # type: ignore[arg-type]


def fork(work: Callable[[], Any], seconds: float, *, quiet: bool = True) -> Any:
    """What ``work`` gives in a process of its own; None where that dies, or takes more CPU than this or forty times as
    long by the clock."""
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "answer.json"
        child = os.fork()
        if not child:
            try:
                os.setpgid(0, 0)
                nowhere = os.open(os.devnull, os.O_WRONLY)
                for stream in (1, 2) if quiet else ():
                    os.dup2(nowhere, stream)
                resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
                answer.write_text(json.dumps(work()))
            finally:
                os._exit(0)
        ended = os.pidfd_open(child)
        if not select.select([ended], [], [], 40 * seconds)[0]:
            os.killpg(child, signal.SIGKILL)
        os.close(ended)
        os.waitpid(child, 0)
        return json.loads(answer.read_text()) if answer.exists() else None


def measure(paths: Sequence[str]) -> Reached:
    """Run the modules' tests once, unchanged, and note which reach what."""
    files = sorted({file for path in paths for file in find_tests(path)})

    def work() -> dict[str, Any] | None:
        tracer = Tracer({str(PACKAGE / path): path for path in paths})
        threading.settrace(tracer.trace)
        sys.settrace(tracer.trace)
        ended = pytest.main([*QUIET, *files, DOCTESTS], plugins=[tracer])
        sys.settrace(None)
        if ended not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            return None
        libraries = [name for name in sys.modules if name.partition(".")[0] not in (*OURS, "__main__")]
        lines: dict[str, dict[str, list[int]]] = defaultdict(dict)
        for (file, name), reached in tracer.lines.items():
            lines[tracer.paths[file]][name] = sorted(reached)
        return {"lines": lines, "seconds": tracer.seconds, "libraries": libraries, "broken": tracer.broken}

    found = fork(work, 3600)
    if found is None:
        raise SystemExit(f"tests ended without a result; run them by themselves: {' '.join(files)}")
    return Reached(**found)


def run_tests(reached: Reached, path: str, source: str, names: Sequence[str]) -> tuple[bool | None, bool]:
    """Whether all the tests pass with this source for the module, None where pytest itself broke; and whether a probe
    in it saw two values."""

    def work() -> tuple[int, bool]:
        seen: list[bool] = []
        setattr(builtins, DIFFERS, lambda old, new: _compare(old, new, seen))
        change_module(path, source)
        files = sorted({name.partition("::")[0] for name in names})
        return int(pytest.main([*QUIET, "-x", *files], plugins=[Chosen(names)])), bool(seen)

    usual = sum(reached.seconds[name] for name in names)
    found = fork(work, 5 * usual + 20)
    code, differs = found or (1, True)
    return None if code in (pytest.ExitCode.INTERNAL_ERROR, pytest.ExitCode.NO_TESTS_COLLECTED) else code == 0, differs


def _compare(old: Callable[[], Any], new: Callable[[], Any], seen: list[bool]) -> Any:
    import numpy as np

    value = old()
    try:
        other = new()
        same = type(other) is type(value) and bool(
            np.all(other == value) if np.size(value) == np.size(other) else False
        )
    except Exception:  # noqa: BLE001 - whatever the changed expression raises, the plain one did not
        same = False
    if not same:
        seen.append(True)
    return value


def judge(reached: Reached, mutant: Mutant, most: float) -> str:
    """What becomes of one mutant."""
    names = reached.find(mutant, most)
    if not names:
        return MISSED
    passed, _ = run_tests(reached, mutant.path, mutant.source, names)
    if not passed:
        return NONE if passed is None else KILLED
    if mutant.probe is None:
        return SURVIVED
    passed, differs = run_tests(reached, mutant.path, mutant.probe, names)
    return SAME if passed and not differs else SURVIVED


def judge_all(reached: Reached, mutants: Sequence[Mutant], most: float, ends: float, to: Path) -> None:
    """What becomes of mutants: a line each in ``to``, as each is known; none is begun after ``ends``."""

    def work() -> None:
        for name in reached.libraries:
            try:
                importlib.import_module(name)
            except Exception as error:  # noqa: BLE001 - a part that is made by its package alone comes with it
                del error
        for mutant in mutants:
            if time.monotonic() > ends:
                break
            fate = judge(reached, mutant, most)
            if fate != KILLED:
                print(f"{fate}: {mutant.path}:{mutant.first}: {mutant.before}  ->  {mutant.after}", flush=True)
            with to.open("a", encoding="utf-8") as file:
                file.write(json.dumps({**_name(mutant), "fate": fate}) + "\n")

    fork(work, 24 * 3600, quiet=False)


def _name(mutant: Mutant) -> dict[str, Any]:
    return {"path": mutant.path, "line": mutant.first, "before": mutant.before, "after": mutant.after}


def read_fates(to: Path) -> list[dict[str, Any]]:
    """What is known of mutants so far."""
    return [json.loads(line) for line in to.read_text(encoding="utf-8").splitlines()] if to.exists() else []


def draw(count: int, seed: int, only: tuple[str, ...]) -> dict[str, list[Mutant]]:
    """So many mutants of all targets, by module: all are equally likely."""
    paths = sorted({str(file.relative_to(ROOT)) for glob in TARGETS for file in ROOT.glob(glob)})
    paths = [path for path in paths if path.startswith(only)]
    places = [(path, place) for path in paths for place in range(count_changes(ROOT, path))]
    mixed = random.Random(seed).sample(places, len(places))
    made = (make_mutant(ROOT, path, place) for path, place in mixed)
    found = [each for each, _ in zip(filter(None, made), range(count), strict=False)]
    print(f"{len(places):,} changes of {len(paths)} modules, {len(found)} drawn with seed {seed}", flush=True)
    drawn: dict[str, list[Mutant]] = defaultdict(list)
    for each in sorted(found, key=lambda each: (each.path, each.first)):
        drawn[each.path].append(each)
    return drawn


def write_table(fates: dict[str, list[str]]) -> str:
    """A row a module and one for all."""
    kinds = (KILLED, SURVIVED, SAME, MISSED, NONE)
    rows = [(path, Counter(each)) for path, each in fates.items()]
    rows.append(("all", sum((count for _, count in rows), Counter())))
    lines = ["| module | mutants | " + " | ".join(kinds) + " |", "| --- |" + " ---: |" * (len(kinds) + 1)]
    lines += [f"| `{path}` | {n.total()} | " + " | ".join(str(n[kind]) for kind in kinds) + " |" for path, n in rows]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path, help="a folder for what is known so far")
    parser.add_argument("--count", type=int, default=200, help="how many mutants are drawn")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--only", nargs="*", default=[""], help="modules whose path begins with one of these")
    parser.add_argument("--cpu", type=float, default=60, help="seconds of tests against one mutant at most")
    parser.add_argument("--folder", default="", help="run those of the draw alone that are in this folder")
    parser.add_argument("--within", type=float, default=math.inf, help="begin nothing after so many seconds")
    given = parser.parse_args()
    ends = time.monotonic() + given.within
    os.environ["OMP_NUM_THREADS"] = "1"
    work = given.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    os.chdir(ROOT)
    to = work / "fates.jsonl"
    drawn = draw(given.count, given.seed, tuple(given.only))
    folders = [given.folder] if given.folder else sorted({str(Path(*Path(path).parts[:2])) for path in drawn})
    for folder in folders:
        known = [{**each, "fate": ""} for each in read_fates(to)]
        mutants = [each for path in drawn for each in drawn[path] if path.startswith(folder + "/")]
        left = [each for each in mutants if {**_name(each), "fate": ""} not in known]
        if not left or time.monotonic() > ends:
            print(f"left: {len(left)}")
            continue
        reach = work / f"{folder.replace('/', '-')}.json"
        if not reach.exists():
            reach.write_text(json.dumps(asdict(measure([path for path in drawn if path.startswith(folder + "/")]))))
        judge_all(Reached(**json.loads(reach.read_text())), left, given.cpu, ends, to)
        print(f"left: {len(left) - len(read_fates(to)) + len(known)}")
    fates: dict[str, list[str]] = defaultdict(list)
    for each in read_fates(to):
        fates[each["path"]].append(each["fate"])
    print(write_table(fates))


if __name__ == "__main__":
    main()
