"""Which level works here, found by doing; the self-test that a level must pass; and the way to a renderer."""

from __future__ import annotations

import json
import platform
import secrets
import socket
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from counterfoil.renderers.results import Outcome
from counterfoil.renderers.sandbox import command as commands
from counterfoil.renderers.sandbox.limits import Limits, SandboxError
from counterfoil.renderers.sandbox.renderer import SandboxRenderer
from counterfoil.renderers.sandbox.worker import LEVELS

AUTOMATIC = ("L3", "L2")
"""The levels that are tried when none is named, strongest first."""

_passed: set[str] = set()
"""The levels that passed the self-test in this process."""


@dataclass(frozen=True, slots=True)
class LayerStatus:
    """One layer of the sandbox on this machine: whether it works, what was found, and how to get it if not."""

    name: str
    works: bool
    detail: str
    advice: str = ""


def open_renderer(level: str | None = None, *, limits: Limits | None = None, unsafe: bool = False) -> SandboxRenderer:
    """Start a renderer at ``level``, or at the strongest level that works.

    L3 is preferred; L2 is taken with a warning; L1 only by name; L0, which isolates nothing, only by name and with
    ``unsafe=True``. The level's self-test runs once per process. Raises `SandboxError` where the level cannot be had
    or one of the self-test's attacks succeeds.
    """
    limits = limits or Limits()
    if level is not None:
        return _open_level(level, limits, unsafe)
    failures = []
    for name in AUTOMATIC:
        try:
            renderer = _open_level(name, limits, unsafe)
        except SandboxError as error:
            failures.append(str(error))
            continue
        if failures:
            warnings.warn(f"sandbox level {name} instead of {AUTOMATIC[0]}: {'; '.join(failures)}", stacklevel=2)
        return renderer
    raise SandboxError(f"no sandbox level works here, so no script is run: {'; '.join(failures)}")


def _open_level(name: str, limits: Limits, unsafe: bool) -> SandboxRenderer:
    if name not in LEVELS:
        raise SandboxError(f"unknown sandbox level {name!r}; there are {', '.join(LEVELS)}")
    if name == "L0" and not unsafe:
        raise SandboxError("level L0 isolates nothing: a script could do all that you can do; ask for it as unsafe")
    try:
        renderer = SandboxRenderer(LEVELS[name], limits)
    except SandboxError as error:
        raise SandboxError(f"{name} cannot be had: {error}") from error
    if name != "L0" and name not in _passed:
        try:
            run_self_test(renderer)
        except BaseException:
            renderer.close()
            raise
        _passed.add(name)
    return renderer


SELF_TEST = """
import ctypes, json, os, socket, sys
plan = json.loads({plan!r})

def attack(name, act):
    try:
        result = act()
    except (OSError, ImportError, AttributeError) as error:
        print("held", name, type(error).__name__)
    else:
        print("BREACH", name, result)

def read_secret():
    with open(plan["file"]) as file:
        return file.read() != ""

def write_outside():
    with open(plan["file"], "w") as file:
        return file.write("x")

def connect():
    return socket.create_connection(("127.0.0.1", plan["port"]), 1)

def start_process():
    process = os.fork()
    if process == 0:
        os._exit(0)
    # A process left running would cost the worker its life, and with it the log that says what succeeded.
    os.waitpid(process, 0)
    return process

def start_program():
    if os.system("true") != 0:
        raise OSError("no program started")

def read_environment():
    names = set(os.environ) - set(plan["environment"])
    if not names:
        raise OSError("nothing but the worker's own")
    return sorted(names)

def inherit_descriptor():
    for descriptor in range(3, 256):
        try:
            os.fstat(descriptor)
        except OSError:
            continue
        return descriptor
    raise OSError("none")

def signal_parent():
    if ctypes.CDLL(None, use_errno=True).kill(os.getppid() or 1, 0):
        raise OSError(ctypes.get_errno(), "kill")

for act in (read_secret, write_outside, connect, start_process, start_program):
    attack(act.__name__, act)
for act in (read_environment, inherit_descriptor, signal_parent):
    attack(act.__name__, act)
print("done")
"""
ATTACKS = 8


def run_self_test(renderer: SandboxRenderer) -> None:
    """Attack the sandbox from inside with planted bait. Raises `SandboxError` naming the attack that succeeded."""
    with _plant_bait() as plan:
        rendering = renderer.render(SELF_TEST.format(plan=json.dumps(plan)))
        lines = rendering.log.splitlines()
        if breaches := [line for line in lines if line.startswith("BREACH")]:
            raise SandboxError(
                f"{renderer.level} failed its self-test ({'; '.join(breaches)}); "
                "do not run untrusted scripts here before `counterfoil doctor` shows every layer working"
            )
    held = sum(line.startswith("held") for line in lines)
    if rendering.outcome is not Outcome.NO_PICTURE or held != ATTACKS or "done" not in lines:
        raise SandboxError(
            f"{renderer.level}: the self-test did not run through ({rendering.outcome}, {held} of {ATTACKS} attacks): "
            f"{rendering.log.strip()[-500:]}"
        )


@contextmanager
def _plant_bait() -> Iterator[dict[str, object]]:
    """A world-writable file and a listener for the self-test to go for; both checked to be untouched afterwards."""
    environment = sorted({*commands.build_environment("", ""), "LC_CTYPE", "PWD"})
    with (
        tempfile.TemporaryDirectory(prefix="counterfoil-bait-") as folder,
        socket.create_server(("127.0.0.1", 0)) as listener,
    ):
        bait, secret = Path(folder) / "bait", secrets.token_hex(8)
        bait.write_text(secret)
        bait.chmod(0o666)
        Path(folder).chmod(0o777)
        listener.setblocking(False)
        yield {"file": str(bait), "port": listener.getsockname()[1], "environment": environment}
        if not bait.exists() or bait.read_text() != secret:
            raise SandboxError("the self-test changed a file outside of the sandbox; no script is run here")
        try:
            listener.accept()
        except BlockingIOError:
            return
        raise SandboxError("the self-test reached the network; no script is run here")


def probe_levels() -> list[LayerStatus]:
    """What each layer does on this machine, tried out in short-lived processes."""
    return [
        _probe_user_namespaces(),
        _probe_bubblewrap(),
        _probe_landlock(),
        _probe_seccomp(),
        LayerStatus("rlimits", True, "part of every Linux kernel"),
    ]


def _probe(layer: str, code: str, advice: str) -> LayerStatus:
    """Run a snippet of Python in a process of its own; its last line of output says what it found."""
    paths = [str(commands.CODE), *(p for p in sys.path if p.endswith("site-packages"))]
    result = commands.run_quietly([sys.executable, "-c", f"import sys; sys.path[:0] = {paths!r}\n{code}"], None)
    said = (result.stdout if result.returncode == 0 else result.stderr).strip().splitlines()
    works, detail = result.returncode == 0, said[-1] if said else f"exit code {result.returncode}"
    return LayerStatus(layer, works, detail, "" if works else advice)


def _probe_user_namespaces() -> LayerStatus:
    code = (
        "import ctypes, os; libc = ctypes.CDLL(None, use_errno=True)\n"
        "if libc.unshare(0x10000000): raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))\n"
        "print('can be created')"
    )
    advice = (
        "allow unprivileged user namespaces (sysctl kernel.unprivileged_userns_clone=1, user.max_user_namespaces, "
        "kernel.apparmor_restrict_unprivileged_userns=0), or in Docker a seccomp profile that permits unshare"
    )
    return _probe("user namespaces", code, advice)


def _probe_bubblewrap() -> LayerStatus:
    try:
        bwrap = commands.find_bwrap()
        try:
            user = commands.find_runtime().user
        except SandboxError:
            user = None
        trial = [bwrap, "--unshare-all", "--unshare-user", "--as-pid-1", "--die-with-parent", "--new-session"]
        result = commands.run_quietly([*trial, "--ro-bind", "/", "/", "/bin/true"], user)
    except SandboxError as error:
        return LayerStatus("bubblewrap", False, str(error), commands.BWRAP_ADVICE)
    if result.returncode:
        detail = result.stderr.strip() or f"exit code {result.returncode}"
        return LayerStatus("bubblewrap", False, detail, "see user namespaces")
    version = commands.run_quietly([bwrap, "--version"], None).stdout.strip()
    return LayerStatus("bubblewrap", True, version)


def _probe_landlock() -> LayerStatus:
    code = (
        "import landlockpy, pathlib\n"
        "abi = landlockpy.abi_version()\n"
        "landlockpy.Ruleset().restrict()\n"
        "try: open('/etc/passwd')\n"
        "except PermissionError: print('ABI', abi)\n"
        "else: raise SystemExit('a file could be read in spite of it')"
    )
    return _probe("Landlock", code, f"needs Linux 5.13 with lsm=landlock (this is {platform.release()})")


def _probe_seccomp() -> LayerStatus:
    code = (
        "import socket\n"
        "from counterfoil.renderers.sandbox import policy\n"
        "policy.SeccompFilter(policy.compile_filter(scratch=False)).load()\n"
        "try: socket.socket()\n"
        "except PermissionError: print('filter loads and holds')\n"
        "else: raise SystemExit('a socket could be made in spite of it')"
    )
    return _probe("seccomp", code, "`apt-get install libseccomp2`; needs x86_64 or aarch64")
