"""The rows of a fixed seed, by a digest of their bytes: a change of rows without a change of version fails here.

`python -m tests.tasks.test_golden` prints the table anew.
"""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from storage.rows import Anchor, Contrast, fingerprint
from tasks.contract.context import Context
from tasks.engine.prepare import prepare_here
from tasks.engine.registry import DOMAIN_MODULES, group_families, load_domain
from tasks.engine.renderer import MemoRenderer
from tasks.engine.rows import make_anchors, make_contrasts

TABLE = Path(__file__).with_name("golden.json")
SECTIONS: dict[str, dict[str, Any]] = {
    "geometry": {"source": "procedural:3", "negatives": 2, "template_bank": 40},
    "flowchart": {"source": "procedural:2"},
    "caption": {"source": "procedural:8", "captions": 2},
    "theorem": {"source": "procedural:12"},
}
"""The least that makes a few rows of every family."""
_SEED = 7
_ANCHORS = {"caption": 8, "theorem": 12}
"""Anchors of a domain, where three have no row of some family."""
_EMPTY = {"theorem.translate", "theorem.retrieval"}
"""Families of which rules make nothing, or nothing by default: no theorem shows another to be false."""


def digest_domain(name: str) -> dict[str, str]:
    """Digests of the rows by ``domain.anchors@version`` and by ``family@version of its anchors.its own``."""
    domain = load_domain(name)
    settings = domain.settings_type.model_validate(SECTIONS[name])
    renderer = MemoRenderer()
    context: Context[Any] = Context(settings, _SEED, renderer)
    try:
        rows = list(domain.read(settings, _SEED, None))
        made = [anchor for row in rows for anchor in make_anchors(domain, row, context) if isinstance(anchor, Anchor)]
        anchors = made[: _ANCHORS.get(name, 3)]
        digests = {f"{name}.anchors@{domain.version}": _digest(anchors)}
        for group in group_families(domain, list(domain.families)):
            ready = prepare_here(group[0].prepare, [anchors], context) if group[0].prepare else context
            contrasts = [row for anchor in anchors for row in make_contrasts(group, anchor, ready)]
            for family in group:
                own = [row for row in contrasts if isinstance(row, Contrast) and row.family == family.name]
                if family.name in _EMPTY:
                    assert not own, family.name
                    continue
                assert own, family.name
                digests[f"{family.name}@{domain.version}.{family.version}"] = _digest(own)
        return digests
    finally:
        renderer.close()


def _digest(rows: list[Any]) -> str:
    plain = [asdict(replace(row, provenance=replace(row.provenance, code_version=""))) for row in rows]
    # What a column of later says of nearly all rows is left out, so that digests are those of before there was one.
    usual = {"views": (), "grade": "proved", "witness": None}
    return fingerprint([{k: v for k, v in row.items() if k not in usual or v != usual[k]} for row in plain])[:16]


@pytest.mark.parametrize("name", DOMAIN_MODULES)
def test_rows_change_only_with_their_version(name: str) -> None:
    if name == "caption":
        pytest.importorskip("spacy", reason="captions are parsed by an extra: pip install 'counterfoil[text]'")
    known = json.loads(TABLE.read_text(encoding="utf-8"))
    found = digest_domain(name)
    changed = [key for key, value in found.items() if known.get(key) != value]
    assert not changed, (
        f"the rows of {', '.join(changed)} are not those of golden.json: raise the version of what changed and run "
        "`python -m tests.tasks.test_golden`"
    )


if __name__ == "__main__":
    table = {key: value for name in DOMAIN_MODULES for key, value in digest_domain(name).items()}
    TABLE.write_text(json.dumps(table, indent=2, sort_keys=True) + "\n", encoding="utf-8")
