"""What a script may ask of the kernel: the seccomp filter, the Landlock rules and the resource limits.

The filter is compiled on the trusted side (`compile_filter`) and handed over as BPF; the rest runs in the script's own
process just before the script. Nothing here is Python-level: a script that has native code at its hands meets the
same walls.
"""

from __future__ import annotations

import ctypes
import errno
import os
import resource
import signal
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

READING = """
    open openat read readv pread64 preadv close close_range lseek stat lstat fstat newfstatat statx access faccessat
    faccessat2 readlink readlinkat getdents getdents64 getcwd chdir fchdir statfs fstatfs fadvise64 dup dup2 dup3
"""
WRITING = "write writev pwrite64 pwritev fsync fdatasync umask"
MEMORY = "brk mmap munmap mremap mprotect madvise membarrier"
SIGNALS = """
    rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigsuspend rt_sigtimedwait sigaltstack alarm setitimer
    getitimer pause restart_syscall
"""
WAITING = """
    poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait eventfd2 pipe pipe2 futex
    nanosleep clock_nanosleep sched_yield wait4 waitid
"""
ASKING = """
    clock_gettime clock_getres gettimeofday time times getrusage getrlimit uname sysinfo getuid geteuid getgid getegid
    getgroups getresuid getresgid getcpu sched_get_priority_max sched_get_priority_min getrandom
"""
NUMBERS = "getpid gettid getppid getpgrp getpgid getsid"
"""Answered with 0: the numbers count the scripts that ran before, and tell at L2 which processes the host runs."""
OF_ONESELF = "sched_getaffinity sched_getparam sched_getscheduler get_robust_list"
"""Answered for the asker, number 0, alone: for other numbers they tell which processes there are."""
LIVING = "set_robust_list rseq set_tid_address arch_prctl exit exit_group"
SCRATCH = """
    mkdir mkdirat unlink unlinkat rmdir rename renameat renameat2 truncate ftruncate sendfile copy_file_range
"""
OPENING = frozenset(["open", "openat", "getdents", "getdents64", "chdir", "fchdir", "statfs", "readlink", "readlinkat"])

# F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC. No locks: the files are the host's, which would wait.
FCNTL_COMMANDS = (0, 1, 2, 3, 4, 1030)
# TCGETS, TIOCGWINSZ, FIONCLEX, FIOCLEX, FIONREAD: what Python asks of a file that it opens.
IOCTL_REQUESTS = (0x5401, 0x5413, 0x5450, 0x5451, 0x541B)
# PR_SET_NAME, PR_GET_NAME, PR_SET_VMA.
PRCTL_OPTIONS = (15, 16, 0x53564D41)
# CLONE_VM, _FS, _FILES, _SIGHAND, _THREAD: together they make a thread and nothing else. No CLONE_NEW* bit.
THREAD_FLAGS = 0x100 | 0x200 | 0x400 | 0x800 | 0x10000
NAMESPACE_FLAGS = 0x7E020000 | 0x80

READABLE_DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random", "/dev/full")

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
SECCOMP_SET_MODE_FILTER = 1
HUGE_PAGE = 2 << 20
MADV_COLLAPSE = 25
SECCOMP_CALL = {"x86_64": 317, "aarch64": 277}

_libc = ctypes.CDLL(None, use_errno=True)
_libc_under_lock = ctypes.PyDLL(None, use_errno=True)


def compile_filter(*, scratch: bool, opening: bool = True) -> bytes:
    """The seccomp filter as BPF: an allowlist that answers EPERM to all else.

    ``scratch`` adds the calls that change files (L3, where only the scratch folder can be written). Without
    ``opening`` no file can be opened at all (L1, where nothing else guards the files). Needs libseccomp.
    """
    import pyseccomp as seccomp

    rules = seccomp.SyscallFilter(defaction=seccomp.ERRNO(errno.EPERM))

    def add(action: int, call: str, *arguments: Any) -> None:
        try:
            seccomp.resolve_syscall(seccomp.system_arch(), call)
        except ValueError:
            return  # this architecture never had the call, so the default answer stands
        rules.add_rule(action, call, *arguments)

    groups = (READING, WRITING, MEMORY, SIGNALS, WAITING, ASKING, LIVING, SCRATCH if scratch else "")
    for call in " ".join(groups).split():
        if opening or call not in OPENING:
            add(seccomp.ALLOW, call)
    for call in NUMBERS.split():
        add(seccomp.ERRNO(0), call)
    for call in OF_ONESELF.split():
        add(seccomp.ALLOW, call, seccomp.Arg(0, seccomp.EQ, 0))
    for call, position, values in (
        ("fcntl", 1, FCNTL_COMMANDS),
        ("ioctl", 1, IOCTL_REQUESTS),
        ("prctl", 0, PRCTL_OPTIONS),
    ):
        for value in values:
            add(seccomp.ALLOW, call, seccomp.Arg(position, seccomp.EQ, value))
    # Reading one's own limits only: no pid, no new limit.
    add(seccomp.ALLOW, "prlimit64", seccomp.Arg(0, seccomp.EQ, 0), seccomp.Arg(2, seccomp.EQ, 0))
    add(seccomp.ALLOW, "clone", seccomp.Arg(0, seccomp.MASKED_EQ, THREAD_FLAGS | NAMESPACE_FLAGS, THREAD_FLAGS))
    # glibc tries these first and falls back to clone and openat only on "no such call".
    for call in ("clone3", "openat2"):
        add(seccomp.ERRNO(errno.ENOSYS), call)
    with tempfile.TemporaryFile() as file:
        rules.export_bpf(file)
        file.seek(0)
        return file.read()


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


class SeccompFilter:
    """A compiled filter, ready in memory so that loading it is one system call."""

    def __init__(self, bpf: bytes) -> None:
        self._buffer = ctypes.create_string_buffer(bpf, len(bpf))
        self._program = _Program(len(bpf) // 8, ctypes.cast(self._buffer, ctypes.c_void_p))
        self._call = SECCOMP_CALL[os.uname().machine]

    def load(self) -> None:
        """Confine the calling process for good. Raises OSError where the kernel refuses."""
        set_process_option(PR_SET_NO_NEW_PRIVS, 1)
        if _libc.syscall(self._call, SECCOMP_SET_MODE_FILTER, 0, ctypes.byref(self._program)):
            raise OSError(ctypes.get_errno(), "seccomp filter not loaded")


def set_process_option(option: int, value: int) -> None:
    """``prctl(option, value)``; raises OSError."""
    if _libc.prctl(option, value, 0, 0, 0):
        raise OSError(ctypes.get_errno(), f"prctl({option}, {value})")


def build_ruleset(readable: Iterable[str], writable: Iterable[str]) -> Any:
    """Landlock rules: read below ``readable``, change below ``writable``, no TCP, no signal and no abstract socket
    out of the domain. Returns a `landlockpy.Ruleset`; raises its error where the kernel has no Landlock."""
    import landlockpy

    access = landlockpy.AccessFS
    rules = landlockpy.Ruleset(scoped=landlockpy.Scope.ABSTRACT_UNIX_SOCKET | landlockpy.Scope.SIGNAL)
    for path in readable:
        if Path(path).is_dir():
            rules.allow_path(path, access.READ_FILE | access.READ_DIR)
        elif Path(path).exists():
            rules.allow_path(path, access.READ_FILE)
    for path in READABLE_DEVICES:
        if Path(path).exists():
            rules.allow_path(path, access.READ_FILE | (access.WRITE_FILE if path == "/dev/null" else access.READ_FILE))
    changing = access.READ_FILE | access.READ_DIR | access.WRITE_FILE | access.TRUNCATE
    changing |= access.MAKE_REG | access.MAKE_DIR | access.REMOVE_FILE | access.REMOVE_DIR | access.REFER
    for path in writable:
        rules.allow_path(path, changing)
    return rules


def limit_resources(limits: dict[str, Any], address_space: int, processes: int) -> None:
    """Apply the resource limits to the calling process.

    ``address_space`` is what the process maps already, ``processes`` how many its user already runs: both limits
    count from there.
    """
    cpu = int(limits["cpu_s"])
    for name, soft, hard in (
        (resource.RLIMIT_AS, address_space + limits["memory"], None),
        # One second between the two: SIGXCPU first, SIGKILL for who ignores it.
        (resource.RLIMIT_CPU, cpu, cpu + 1),
        (resource.RLIMIT_FSIZE, limits["file_size"], None),
        (resource.RLIMIT_NOFILE, 64, None),
        (resource.RLIMIT_CORE, 0, None),
        (resource.RLIMIT_NPROC, processes + limits["threads"], None),
        (resource.RLIMIT_MEMLOCK, 0, None),
        (resource.RLIMIT_MSGQUEUE, 0, None),
        (resource.RLIMIT_SIGPENDING, 64, None),
    ):
        ceiling = resource.getrlimit(name)[1]
        top = soft if hard is None else hard
        if ceiling != resource.RLIM_INFINITY:
            top = min(top, ceiling)
        resource.setrlimit(name, (min(soft, top), top))


def reset_signals() -> None:
    """Back to the default answer to the signals that Python itself catches, and die with the parent."""
    set_process_option(PR_SET_PDEATHSIG, signal.SIGKILL)
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def fork_plainly() -> int:
    """``fork(2)`` without Python's own work around it: for a process that has one thread, and keeps it.

    What `os.fork` does in the child, for the sake of other threads and of generators that must differ, writes to some
    300 pages that would have to be copied; with one thread there is nothing to repair. Raises OSError.
    """
    process = int(_libc_under_lock.fork())
    if process < 0:
        raise OSError(ctypes.get_errno(), "fork")
    return process


def collapse_pages(addresses: Iterable[int]) -> int:
    """Merge the pages around ``addresses`` into huge ones, and say how many came about.

    A fork copies one entry for a huge page instead of 512. Only a saving: a kernel that cannot do it (before Linux
    6.1) refuses, and nothing is lost.
    """
    _libc.madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    blocks = sorted({address & -HUGE_PAGE for address in addresses})
    return sum(_libc.madvise(block, HUGE_PAGE, MADV_COLLAPSE) == 0 for block in blocks)
