"""The rows of a fixed seed, by a digest of their bytes: a change of rows without a change of version fails here.

`python -m tests.tasks.test_golden` prints the table anew.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from counterfoil.tasks.engine.golden import digest_domain
from counterfoil.tasks.engine.registry import DOMAIN_MODULES, load_domain

TABLE = Path(__file__).with_name("golden.json")
_EMPTY = {"theorem.translate", "theorem.retrieval", "caption.add", "caption.near"}
"""Families of which rules make nothing, or nothing by default: no theorem shows another to be false, and scenes are
crossed by other families."""


@pytest.mark.parametrize("name", DOMAIN_MODULES)
def test_rows_change_only_with_their_version(name: str) -> None:
    if name == "caption":
        pytest.importorskip("spacy", reason="captions are parsed by an extra: pip install 'counterfoil[text]'")
    known = json.loads(TABLE.read_text(encoding="utf-8"))
    domain = load_domain(name)
    found = digest_domain(domain)
    assert {key.partition("@")[0] for key in found} == {f"{name}.anchors", *domain.families} - _EMPTY
    changed = [key for key, value in found.items() if known.get(key) != value]
    assert not changed, (
        f"the rows of {', '.join(changed)} are not those of golden.json: raise the version of what changed and run "
        "`python -m tests.tasks.test_golden`"
    )


if __name__ == "__main__":
    table = {key: value for name in DOMAIN_MODULES for key, value in digest_domain(load_domain(name)).items()}
    TABLE.write_text(json.dumps(table, indent=2, sort_keys=True) + "\n", encoding="utf-8")
