"""Short scripts that read a dataset and leave before the end: they must end with 0, not abort in a reading thread."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
import storage_cases as cases

from counterfoil.storage.dataset import Dataset
from tests.patience import PATIENCE_S

READERS = 24
LEFT_HALF_READ = """
import sys
from counterfoil.storage.dataset import Dataset
snapshot = Dataset(sys.argv[1]).snapshot()
batches = snapshot.arrow("contrasts").to_batches(batch_size=4)
next(batches)
next(snapshot.contrasts())
print("read")
"""


@pytest.mark.slow
def test_readers_that_stop_early_end_with_0(tmp_path):
    url = str(tmp_path / "set")
    Dataset(url).publish(cases.stage_run(url, "many", 60))

    def read(_: int) -> tuple[int, str]:
        command = [sys.executable, "-c", LEFT_HALF_READ, url]
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        return done.returncode, done.stdout

    with ThreadPoolExecutor(2 * (os.cpu_count() or 1)) as pool:
        ends = Counter(pool.map(read, range(READERS)))
    assert ends == {(0, "read\n"): READERS}
