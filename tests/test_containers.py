"""The container files, as far as they can be checked without a container: what goes in and what is bounded."""

from __future__ import annotations

import json
import platform
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path, PurePath
from typing import Any

import pytest
import yaml
from compose_spec import PyCompose

from counterfoil.flows.making.limits import LEASE_STORAGE
from tests.patience import PATIENCE_S

ROOT = Path(__file__).parents[1]
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
def composed() -> dict[str, Any]:
    """The file with its variables at their defaults."""
    text = re.sub(r"\$\{\w+(?::[-?]([^}]*))?\}", r"\1", (ROOT / "docker-compose.yml").read_text())
    composed: dict[str, Any] = yaml.safe_load(text)
    return composed


@pytest.fixture(scope="module")
def services(composed) -> dict[str, Any]:
    services: dict[str, Any] = composed["services"]
    return services


def test_the_file_keeps_to_the_compose_specification(composed, services):
    """By a parser of the specification that knows every key and refuses any other."""
    read = PyCompose.from_json(json.dumps(composed))
    read.validate()
    assert set(read.service_names()) == set(services)
    with pytest.raises(ValueError, match="helthcheck"):
        PyCompose.from_json(json.dumps({"services": {"worker": services["worker"] | {"helthcheck": {}}}}))


def test_every_service_is_bounded_and_gains_no_privileges(services):
    for name, service in services.items():
        assert service["pids_limit"] > 0 and service["mem_limit"], name
        assert "no-new-privileges:true" in service["security_opt"], name
        assert service["cap_drop"] == ["ALL"], name
    assert not any("cap_add" in services[name] for name in ("server", "worker", "worker-gpu", "vllm", "postgres"))
    for name in ("worker", "worker-gpu"):
        assert "seccomp:seccomp.json" in services[name]["security_opt"]


def test_what_runs_all_night_is_restarted_and_its_health_is_known(services):
    for name in ("postgres", "s3", "server", "worker", "worker-gpu", "vllm"):
        assert services[name]["restart"] == "unless-stopped", name
        assert services[name]["healthcheck"]["test"], name


def test_leases_outlive_the_server_that_gave_them(services):
    environment = services["server"]["environment"]
    storage = import_module(environment[LEASE_STORAGE]).ConcurrencyLeaseStorage
    folder = storage(Path(environment["PREFECT_HOME"]) / "leases").storage_path
    mounts = [PurePath(each.split(":")[1]) for each in services["server"]["volumes"]]
    assert any(mount in folder.parents for mount in mounts)


def test_what_is_written_lies_in_named_volumes_that_are_declared(composed, services):
    mounts = [volume.split(":") for service in services.values() for volume in service.get("volumes", [])]
    assert {source for source, *_ in mounts if not source.startswith("./")} == set(composed["volumes"])
    assert all(how == ["ro"] for source, _, *how in mounts if source.startswith("./"))
    dockerfile = (ROOT / "Dockerfile").read_text()
    assert "install -d -o counterfoil -g counterfoil /data" in dockerfile
    assert re.findall(r"^USER (\S+)", dockerfile, re.M)[-1] == "counterfoil"


def test_the_example_of_the_environment_names_every_variable_and_holds_no_secret():
    used = set(re.findall(r"\$\{([A-Z_]+)", (ROOT / "docker-compose.yml").read_text()))
    named = dict(re.findall(r"^#?([A-Z_]+)=(.*)$", (ROOT / ".env.example").read_text(), re.M))
    assert used == set(named)
    assert not any(value for name, value in named.items() if re.search("PASSWORD|SECRET|API_KEY|TOKEN", name))
    assert ".env" in (ROOT / ".gitignore").read_text().split()


def test_images_are_pinned_to_a_release(services):
    froms = re.findall(r"^FROM (\S+)", (ROOT / "Dockerfile").read_text(), re.M)
    froms = [image for image in froms if image != "cpu"]  # a stage above
    taken = [service["image"] for service in services.values() if not service["image"].startswith("counterfoil:")]
    for image in [*froms, *taken]:
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
from counterfoil.renderers.sandbox import open_renderer
with open_renderer("L3") as renderer:
    print(renderer.level, renderer.render("import matplotlib.pyplot as plt; plt.plot([0, 1], [1, 0])").outcome)
"""
    done = subprocess.run(
        [sys.executable, "-c", APPLY + check], cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE_S
    )
    assert (done.returncode, done.stdout) == (0, "L3 ok\n"), done.stderr


def test_the_profile_names_no_call_twice_and_ends_in_a_refusal():
    profile = json.loads((ROOT / "seccomp.json").read_text())
    names = profile["syscalls"][-1]["names"]
    assert len(names) == len(set(names))
    assert profile["defaultAction"] == "SCMP_ACT_ERRNO"
