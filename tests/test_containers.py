"""The container files, as far as they can be checked without a container: what goes in and what is bounded."""

from __future__ import annotations

import json
import platform
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
SERVICE_KEYS = {
    *("build", "cap_drop", "command", "depends_on", "deploy", "environment", "healthcheck", "image", "mem_limit"),
    *("pids_limit", "ports", "profiles", "restart", "security_opt", "volumes"),
}
"""Those of the Compose specification's service attributes that ours have."""
TYPES: dict[str, tuple[type, ...]] = {
    "cap_drop": (list,),
    "command": (str, list),
    "depends_on": (list, dict),
    "environment": (list, dict),
    "image": (str,),
    "mem_limit": (str, int),
    "pids_limit": (int,),
    "ports": (list,),
    "security_opt": (list,),
    "volumes": (list,),
}
APPLY = """
import errno, json, sys, pyseccomp
profile = json.load(open("seccomp.json"))
rules = pyseccomp.SyscallFilter(defaction=pyseccomp.ERRNO(profile["defaultErrnoRet"]))
for rule in profile["syscalls"]:
    action = pyseccomp.ALLOW if rule["action"] == "SCMP_ACT_ALLOW" else pyseccomp.ERRNO(rule["errnoRet"])
    arguments = [pyseccomp.Arg(each["index"], pyseccomp.EQ, each["value"]) for each in rule.get("args", [])]
    for name in rule["names"]:
        try:
            pyseccomp.resolve_syscall(pyseccomp.system_arch(), name)
        except ValueError:
            continue
        rules.add_rule(action, name, *arguments)
rules.load()
"""


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    services: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    return services


def test_services_use_keys_of_the_compose_specification_with_values_of_its_kinds(services):
    for name, service in services.items():
        assert set(service) <= SERVICE_KEYS, name
        wrong = [key for key, value in service.items() if key in TYPES and not isinstance(value, TYPES[key])]
        assert wrong == [], name
        assert "image" in service or "build" in service
        assert set(service.get("depends_on", [])) <= set(services)


def test_every_service_is_bounded_and_gains_no_privileges(services):
    for name, service in services.items():
        assert service["pids_limit"] > 0 and service["mem_limit"], name
        assert "no-new-privileges:true" in service["security_opt"], name
    assert all(services[name]["cap_drop"] == ["ALL"] for name in ("server", "worker", "vllm"))
    assert "seccomp:seccomp.json" in services["worker"]["security_opt"]


def test_images_are_pinned_to_a_release(services):
    froms = re.findall(r"^FROM (\S+)", (ROOT / "Dockerfile").read_text(), re.M)
    for image in [*froms, *(service["image"] for service in services.values() if "image" in service)]:
        assert re.search(r":v?\d+\.\d+", image), f"{image} is not pinned"


def test_only_named_packages_get_into_the_image():
    lines = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line and not line.startswith("#")]
    assert lines[0] == "*"
    let_in = {line[1:] for line in lines if line.startswith("!")}
    assert let_in == {path for path in let_in if (ROOT / path).exists()}
    assert not any(path.startswith((".", "data", "docs", "tests")) for path in let_in)
    assert "**/.env*" in lines


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the numbers of the calls are those of x86_64")
def test_under_the_profile_the_sandbox_reaches_l3_and_the_kernels_doors_stay_shut():
    check = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
for name, number in {"bpf": 321, "keyctl": 250, "perf_event_open": 298, "io_uring_setup": 425}.items():
    assert libc.syscall(number, 0, 0, 0, 0, 0) == -1 and ctypes.get_errno() == 1, name
from renderers.sandbox import open_renderer
with open_renderer("L3") as renderer:
    print(renderer.level, renderer.render("import matplotlib.pyplot as plt; plt.plot([0, 1], [1, 0])").outcome)
"""
    done = subprocess.run([sys.executable, "-c", APPLY + check], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "L3 ok\n"), done.stderr


def test_the_profile_names_no_call_twice_and_ends_in_a_refusal():
    profile = json.loads((ROOT / "seccomp.json").read_text())
    names = profile["syscalls"][-1]["names"]
    assert len(names) == len(set(names))
    assert profile["defaultAction"] == "SCMP_ACT_ERRNO"
