"""What the processes of a run import before their first row: each of them pays for it anew."""

from __future__ import annotations

import subprocess
import sys

from tests.patience import PATIENCE_S

SLOW = (
    "datasets",
    "faiss",
    "matplotlib",
    "nltk",
    "pandas",
    "prefect",
    "scipy.ndimage",
    "scipy.optimize",
    "scipy.sparse",
    "scipy.spatial",
    "sklearn",
    "spacy",
    "sqlalchemy",
    "sympy",
    "torch",
    "transformers",
)


def test_neither_a_run_nor_its_workers_import_at_their_start_what_few_of_them_need():
    code = (
        "import sys, counterfoil.flows.cli, counterfoil.flows.making.plain, counterfoil.tasks.engine.workers\n"
        "from counterfoil.tasks.engine.registry import DOMAIN_MODULES, load_domain\n"
        "for name in DOMAIN_MODULES: load_domain(name)\n"
        f"print([name for name in {SLOW} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=PATIENCE_S)
    assert done.stdout.strip() == "[]"


def test_what_no_author_was_asked_is_told_without_the_store_of_answers(tmp_path):
    code = (
        "import sys\n"
        "from counterfoil.tasks.llm.settings import AuthorSettings\n"
        "from counterfoil.tasks.llm.store.spending import read_spending, read_yields\n"
        f"given = AuthorSettings(), {str(tmp_path)!r}, 'nothing'\n"
        "print(read_yields(*given), read_spending(*given), 'sqlalchemy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=PATIENCE_S)
    assert done.stdout.strip() == "[] [] False"
