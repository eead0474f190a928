"""What the pages about nights tell a reader to copy: scripts that a shell takes, options that the commands have."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
import yaml
from typer.main import get_command

from counterfoil.flows.cli import app

DOCS = Path(__file__).parents[1] / "docs"


def read_blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (DOCS / page).read_text(), re.S)


@pytest.mark.parametrize("page", ["slurm.md", "nightly.md"])
def test_a_shell_takes_the_scripts(page):
    blocks = read_blocks(page, "sh")
    assert blocks
    for block in blocks:
        done = subprocess.run(["bash", "-n"], input=block, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


def test_the_commands_have_the_options_that_the_pages_use():
    commands = get_command(app).commands
    for page in ("slurm.md", "nightly.md", "kubernetes.md"):
        text = (DOCS / page).read_text().replace("\\\n", " ")
        for name, rest in re.findall(r"^(?:srun |.*`)?counterfoil (\w+)([^`\n#]*)", text, re.M):
            known = {option for parameter in commands[name].params for option in parameter.opts}
            assert set(re.findall(r"(?<!\S)--[a-z-]+", rest)) <= known, f"{page}: counterfoil {name}{rest}"


def test_the_pods_worker_is_the_one_of_compose():
    (manifest,) = read_blocks("kubernetes.md", "yaml")
    pod = yaml.safe_load(manifest)["spec"]["template"]["spec"]["containers"][0]
    composed = yaml.safe_load((DOCS.parent / "docker-compose.yml").read_text())["services"]["worker"]
    assert pod["command"] == composed["command"].split()
