"""Builds the command that starts a worker: who it runs as, what it can see, what it is told."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import stat
import subprocess
import sys
import sysconfig
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from counterfoil.renderers.sandbox.limits import SandboxError

NOBODY = 65534
CODE = Path(__file__).absolute().parents[3]
CODE_INSIDE = "/counterfoil"
SCRATCH = "/scratch"
DATA = "/mnt/data"
"""Where models that learnt from notebooks of hosted assistants save their pictures."""
SETTINGS_INSIDE = "/settings"
SYSTEM_FOLDERS = ("/usr/lib", "/usr/lib64", "/lib", "/lib64", "/usr/share/zoneinfo", "/etc/ld.so.cache")
BWRAP_ADVICE = "install bubblewrap (Debian, Ubuntu: `apt-get install bubblewrap`; Fedora: `dnf install bubblewrap`)"

START = (
    "import sys; code, site = sys.argv.pop(), sys.argv.pop().split(':'); sys.path[:0] = [code]; sys.path += site; "
    "from counterfoil.renderers.sandbox.zygote import main; main()"
)


@dataclass(frozen=True, slots=True)
class Runtime:
    """The interpreter that a worker runs: its executable, the folders it reads, and the user it runs as.

    ``user`` is None for "the same as this process".
    """

    executable: str
    library: str
    shared: str | None
    site: tuple[str, ...]
    user: int | None

    @property
    def readable(self) -> tuple[str, ...]:
        """What a script may read: standard library, packages, shared libraries."""
        return (self.library, *self.site, *SYSTEM_FOLDERS)


@cache
def find_runtime(*, stay_root: bool = False) -> Runtime:
    """The runtime for this machine and user.

    A process of root's runs its workers as nobody. Where nobody cannot reach the interpreter (one installed below
    /root, say) a copy that it can reach is made, once. ``stay_root`` keeps user and interpreter as they are.
    Raises `SandboxError` where the packages cannot be reached.
    """
    base = Path(sys.base_prefix)
    executable = Path(os.path.realpath(sys.executable))
    library = Path(str(sysconfig.get_path("stdlib")))
    site = tuple(dict.fromkeys(os.path.realpath(sysconfig.get_path(name)) for name in ("purelib", "platlib")))
    shared = base / "lib" / str(sysconfig.get_config_var("INSTSONAME") or "")
    soname = str(shared) if shared.is_file() and ".so" in shared.name else None
    if os.geteuid() != 0 or stay_root:
        return Runtime(str(executable), str(library), soname, site, None)
    if not can_become_nobody():
        raise SandboxError(
            f"this root has no user {NOBODY} other than its own to run scripts as (a user namespace that maps too few "
            "ids); map a range of ids into it, or run as an ordinary user"
        )
    for path in (*map(Path, site), CODE / "counterfoil" / "renderers"):
        if not _can_nobody_reach(path):
            raise SandboxError(
                f"{path} cannot be read by the unprivileged user that the sandbox runs as; "
                "install the project outside of private folders or run it as an ordinary user"
            )
    needed = [executable, library, *([Path(soname)] if soname else [])]
    if all(map(_can_nobody_reach, needed)):
        return Runtime(str(executable), str(library), soname, site, NOBODY)
    copy = _copy_interpreter(executable, library, soname)
    return Runtime(
        executable=str(copy / "bin" / executable.name),
        library=str(copy / "lib" / library.name),
        shared=str(copy / "lib" / Path(soname).name) if soname else None,
        site=site,
        user=NOBODY,
    )


def can_become_nobody() -> bool:
    """Whether this process of root's may start others as nobody: its user namespace has that id, and lets groups go."""
    maps = [_read_map(Path("/proc/self") / name) for name in ("uid_map", "gid_map")]
    groups = Path("/proc/self/setgroups")
    denied = groups.exists() and groups.read_text().strip() == "deny"
    return not denied and all(any(first <= NOBODY < first + count for first, count in each) for each in maps)


def _read_map(path: Path) -> list[tuple[int, int]]:
    """The first id and the number of ids of each range that the namespace has."""
    if not path.exists():  # no user namespaces in this kernel: all ids are there
        return [(0, 1 << 32)]
    lines = (line.split() for line in path.read_text().splitlines())
    return [(int(inside), int(count)) for inside, _, count in lines]


def _can_nobody_reach(path: Path) -> bool:
    """Whether "others" may read ``path`` and pass every folder above it."""
    mode = path.stat().st_mode
    wanted = 0o005 if stat.S_ISDIR(mode) else 0o004
    return mode & wanted == wanted and all(parent.stat().st_mode & 0o001 for parent in path.parents)


def _copy_interpreter(executable: Path, library: Path, soname: str | None) -> Path:
    """A copy of the interpreter and its standard library that every user can read, made once per version.

    The folder's name holds a hash of what was copied. It is used only if root owns it, so nobody can plant one.
    """
    identity = (str(executable), executable.stat().st_mtime_ns, platform.python_version())
    name = f"counterfoil-python-{hashlib.sha256(repr(identity).encode()).hexdigest()[:16]}"
    target = Path(tempfile.gettempdir()) / name
    if _is_roots_own(target):
        return target
    building = Path(tempfile.mkdtemp(prefix=name + "."))
    try:
        (building / "bin").mkdir()
        shutil.copy2(executable, building / "bin")
        skipped = ("test", "tests", "site-packages", "idlelib", "tkinter", "turtledemo", "ensurepip", "lib2to3")
        config = f"config-{sys.version_info.major}.{sys.version_info.minor}*"
        ignore = shutil.ignore_patterns(*skipped, config, "*.opt-*.pyc")
        shutil.copytree(library, building / "lib" / library.name, ignore=ignore)
        if soname:
            shutil.copy2(soname, building / "lib")
        building.chmod(0o755)
        try:
            building.rename(target)
        except OSError:
            if not _is_roots_own(target):
                raise
    except OSError as error:
        raise SandboxError(
            f"no copy of the interpreter could be made at {target}: {_name_first(error)}; free some space there, "
            "or run as an ordinary user"
        ) from error
    finally:
        shutil.rmtree(building, ignore_errors=True)
    return target


def _name_first(error: OSError) -> str:
    """The error in one line: of a tree that could not be copied, the first of its files'."""
    if isinstance(error, shutil.Error) and error.args and isinstance(error.args[0], list):
        return str(error.args[0][0][2])
    return str(error)


def _is_roots_own(path: Path) -> bool:
    try:
        found = path.lstat()
    except FileNotFoundError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == 0 and not found.st_mode & 0o022


@cache
def find_bwrap() -> str:
    """The path of bubblewrap. Raises `SandboxError` saying how to get it."""
    path = shutil.which("bwrap")
    if path is None:
        raise SandboxError(f"bubblewrap is not installed; {BWRAP_ADVICE}")
    return path


@cache
def can_disable_userns(bwrap: str, user: int | None) -> bool:
    """Whether this bubblewrap and kernel can forbid further user namespaces inside the sandbox."""
    probe = [bwrap, "--unshare-all", "--unshare-user", "--disable-userns", "--ro-bind", "/", "/", "/bin/true"]
    return run_quietly(probe, user).returncode == 0


def run_quietly(command: list[str], user: int | None) -> subprocess.CompletedProcess[str]:
    """Run a short command as ``user`` and keep what it says. Raises `SandboxError` where it cannot be run at all."""
    try:
        return subprocess.run(
            command, capture_output=True, text=True, timeout=20, stdin=subprocess.DEVNULL, check=False, **as_user(user)
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SandboxError(f"{command[0]} could not be run: {error}") from error


def as_user(user: int | None) -> dict[str, Any]:
    """The arguments by which `subprocess` runs a command as ``user``."""
    return {} if user is None else {"user": user, "group": user, "extra_groups": []}


def build_environment(settings: str, home: str) -> dict[str, str]:
    """All of a worker's environment: nothing of this process's own gets in."""
    return {
        "PATH": "/usr/bin",
        "HOME": home,
        "LANG": "C.UTF-8",
        "MPLCONFIGDIR": settings,
        "MPLBACKEND": "Agg",
        "PYTHONHASHSEED": "0",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        # One arena and no trimming: a script touches fewer pages that it would have to copy.
        "MALLOC_ARENA_MAX": "1",
        "MALLOC_TRIM_THRESHOLD_": "536870912",
        "MALLOC_TOP_PAD_": "8388608",
    }


def build_bwrap(runtime: Runtime, scratch_bytes: int) -> list[str]:
    """The bubblewrap command up to the program: every namespace new, read-only binds of what Python needs, scratch."""
    bwrap = find_bwrap()
    command = [bwrap, "--unshare-all", "--unshare-user", "--as-pid-1", "--die-with-parent", "--new-session"]
    command += ["--clearenv", "--cap-drop", "ALL", "--hostname", "sandbox"]
    if runtime.user is None and os.geteuid() == 0:
        command += ["--uid", str(NOBODY), "--gid", str(NOBODY)]
    if can_disable_userns(bwrap, runtime.user):
        command.append("--disable-userns")
    for name, value in build_environment(SETTINGS_INSIDE, SCRATCH).items():
        command += ["--setenv", name, value]
    for folder in SYSTEM_FOLDERS:
        if Path(folder).is_symlink():
            command += ["--symlink", str(Path(folder).readlink()), folder]
        elif Path(folder).exists():
            command += ["--ro-bind", folder, folder]
    for path in (runtime.library, runtime.executable, runtime.shared, *runtime.site):
        if path and not path.startswith(("/usr/lib/", "/lib/")):
            command += ["--ro-bind", path, path]
    for part in ("__init__.py", "renderers"):
        command += ["--ro-bind", str((CODE / "counterfoil" / part).resolve()), f"{CODE_INSIDE}/counterfoil/{part}"]
    command += ["--dev-bind", "/dev/null", "/dev/null", "--dev-bind", "/dev/urandom", "/dev/urandom"]
    for folder, size in ((SCRATCH, scratch_bytes), (DATA, scratch_bytes), (SETTINGS_INSIDE, 4 << 20)):
        command += ["--size", str(size), "--tmpfs", folder]
    return [*command, "--remount-ro", "/", "--chdir", SCRATCH, "--"]


def build_python(runtime: Runtime, config: str, descriptor: int, code: str) -> list[str]:
    """The program: the interpreter without site, user folder, script folder or bytecode writing."""
    site = ":".join(runtime.site)
    return [runtime.executable, "-s", "-S", "-P", "-B", "-c", START, config, str(descriptor), site, code]
