"""A run on a Ray cluster of this machine: the bytes of a run on worker processes, and a quiet terminal."""

from __future__ import annotations

import pytest

from counterfoil.storage.dataset import Dataset
from tests.needing import skip_without

pytestmark = pytest.mark.slow

skip_without("ray", reason="Ray is not installed: pip install 'counterfoil[ray]'")

RECIPE = """
[dataset]
path = "data/{name}"
seed = 7
shard_size = {size}
workers = 2
runner = "{runner}"
[flowchart]
source = "procedural:4"
families = ["flip", "codeswap"]
[caption]
source = "procedural:4"
families = ["swap"]
"""


def test_rays_rows_are_those_of_worker_processes_in_a_relative_folder_and_nothing_of_ray_is_printed(
    counterfoil, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    made, said = {}, ""
    for name, runner in (("one", "processes"), ("two", "ray")):
        (tmp_path / f"{name}.toml").write_text(RECIPE.format(name=name, runner=runner, size=3))
        said = counterfoil("run", f"{name}.toml").stderr
        made[name] = {file.path: file.sha256 for file in Dataset(f"data/{name}").active_files()}
    assert made["one"] == made["two"]
    assert len(made["two"]) >= 6
    assert "ray" not in said.lower().replace("array", "")
