"""Machines on which a layer is missing: told in one sentence, never a traceback, never silently weaker."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE_S

ROOT = Path(__file__).parents[2]
OPEN = """
import sys, warnings
from counterfoil.renderers.sandbox import SandboxError, open_renderer
warnings.showwarning = lambda message, *_: print("WARNING", message)
for level in sys.argv[1:]:
    try:
        with open_renderer(level) as renderer:
            print(level, "opened", renderer.render("import os; print('uid', os.getuid())").log.splitlines()[0])
    except SandboxError as error:
        print(level, "refused:", error)
"""
NO_LANDLOCK = """
import errno, pyseccomp
rules = pyseccomp.SyscallFilter(defaction=pyseccomp.ALLOW)
rules.add_rule(pyseccomp.ERRNO(errno.ENOSYS), "landlock_create_ruleset")
rules.load()
"""


def open_levels(*levels: str, before: str = "", under: tuple[str, ...] = ()) -> str:
    """What a process says that opens these levels: after ``before``, below the commands of ``under``."""
    done = subprocess.run(
        [*under, sys.executable, "-c", before + OPEN, *levels],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    assert max(map(len, done.stdout.splitlines())) < 1000
    return done.stdout


def can_unshare(*options: str) -> bool:
    return subprocess.run(["unshare", *options, "true"], capture_output=True).returncode == 0


def test_without_landlock_l3_and_l2_are_refused_by_name():
    said = open_levels("L3", "L2", before=NO_LANDLOCK)
    for level in ("L3", "L2"):
        assert f"{level} refused: {level} cannot be had: {level}: Landlock cannot be had" in said
    assert "Linux 5.13" in said


@pytest.mark.skipif(not can_unshare("--user", "--map-root-user"), reason="no user namespaces here")
def test_root_without_a_nobody_beside_it_says_so_and_gets_l3_alone():
    said = open_levels("L3", "L2", under=("unshare", "--user", "--map-root-user"))
    assert "WARNING L3: workers run as root in a user namespace of their own, not as nobody: this root has no" in said
    assert "L3 opened uid 65534" in said
    assert "L2 refused: L2 cannot be had: this root has no user 65534" in said


@pytest.mark.skipif(os.geteuid() != 0 or not can_unshare("--mount"), reason="needs root to make /tmp small")
@pytest.mark.skipif(Path(sys.executable).is_relative_to("/tmp"), reason="this interpreter lies where /tmp goes")
def test_a_tmp_too_small_for_the_interpreters_copy_is_told():
    small = 'mount -t tmpfs -o size=1m tmpfs /tmp && exec "$@"'
    said = open_levels("L3", "L2", under=("unshare", "--mount", "sh", "-c", small, "sh"))
    if "no copy of the interpreter" not in said:
        pytest.skip("nobody reaches this interpreter: no copy is needed")
    assert "WARNING L3: workers run as root" in said
    assert "L2 refused: L2 cannot be had: no copy of the interpreter could be made" in said
