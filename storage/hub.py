"""What the Hugging Face Hub asks of a dataset card: a licence that it knows, task categories, a citation."""

from __future__ import annotations

import difflib
import re

from counterfoil.storage.errors import StorageError

_NAMES = """
apache-2.0 mit openrail bigscience-openrail-m creativeml-openrail-m bigscience-bloom-rail-1.0 bigcode-openrail-m
afl-3.0 artistic-2.0 bsl-1.0 bsd bsd-2-clause bsd-3-clause bsd-3-clause-clear c-uda cc cc0-1.0 cc-by-2.0 cc-by-2.5
cc-by-3.0 cc-by-4.0 cc-by-sa-3.0 cc-by-sa-4.0 cc-by-nc-2.0 cc-by-nc-3.0 cc-by-nc-4.0 cc-by-nd-4.0 cc-by-nc-nd-3.0
cc-by-nc-nd-4.0 cc-by-nc-sa-2.0 cc-by-nc-sa-3.0 cc-by-nc-sa-4.0 cdla-sharing-1.0 cdla-permissive-1.0
cdla-permissive-2.0 wtfpl ecl-2.0 epl-1.0 epl-2.0 etalab-2.0 eupl-1.1 eupl-1.2 agpl-3.0 gfdl gpl gpl-2.0 gpl-3.0
lgpl lgpl-2.1 lgpl-3.0 isc lppl-1.3c ms-pl mpl-2.0 odc-by odbl openmdw-1.0 osl-3.0 postgresql ofl-1.1 ncsa
unlicense zlib pddl unknown other
"""
LICENCES = frozenset(_NAMES.split())
"""The Hub's licence ids (huggingface.co/docs/hub/repositories-licenses) that fit data."""

CITATION = """@software{counterfoil,
  title  = {Counterfoil: hard negatives that are proved to be negatives},
  year   = {2026},
  license = {Apache-2.0}
}"""


def check_licence(licence: str) -> str:
    """The licence as the Hub writes it.

    >>> check_licence("CC-BY-4.0")
    'cc-by-4.0'

    Raises:
        StorageError: the Hub does not know it.
    """
    known = licence.strip().lower()
    if known not in LICENCES:
        close = difflib.get_close_matches(re.sub(r"[\s_]+", "-", known), sorted(LICENCES), n=1)
        hint = f" (did you mean {close[0]!r}?)" if close else ""
        raise StorageError(
            f"licence {licence!r} is none that the Hugging Face Hub knows{hint}: set dataset.licence to an id such as "
            "apache-2.0, cc-by-4.0, other or unknown"
        )
    return known
