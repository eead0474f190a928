"""A dataset of the Hugging Face Hub: fetched once, then read as files are."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from counterfoil.storage.rows import Reject
from counterfoil.tasks.caption.settings import CaptionSettings
from counterfoil.tasks.caption.sources.pairs import PICTURES, READERS, read_pairs
from counterfoil.tasks.contract.columns import Remark
from counterfoil.tasks.contract.domain import SourceError, SourceRow
from counterfoil.tasks.packages import import_package


def read_hub(
    name: str, settings: CaptionSettings, seed: int, limit: int | None
) -> Iterator[SourceRow | Reject | Remark]:
    """The rows of ``OWNER/NAME`` or ``OWNER/NAME@REVISION``.

    Raises:
        SourceError: there is no such dataset, it cannot be fetched, or holds no files of known kinds.
        MissingPackageError: huggingface_hub is not installed.
    """
    yield from read_pairs(str(fetch_dataset(name)), settings, seed, limit, kind="hub")


@cache
def fetch_dataset(name: str) -> Path:
    """A folder beside the Hub's cache with the dataset's tables and pictures; fetched where they are not there yet.

    Not the cache itself: its files are links, which a source's folder may not lead out by.

    Raises:
        SourceError, MissingPackageError: as `read_hub` says.
    """
    hub = import_package("huggingface_hub", f"hub:{name}", "hub")
    repository, _, revision = name.partition("@")
    patterns = [f"*{ending}" for ending in (*READERS, *PICTURES)]
    folder = Path(hub.constants.HF_HUB_CACHE, "counterfoil", name.replace("/", "--"))
    try:
        return Path(
            hub.snapshot_download(
                repository,
                repo_type="dataset",
                revision=revision or None,
                allow_patterns=patterns,
                local_dir=folder,
            )
        )
    except (OSError, ValueError, hub.errors.HfHubHTTPError, hub.errors.LocalEntryNotFoundError) as error:
        told = " ".join(str(error).split())[:300]
        raise SourceError(
            f"hub:{name}: cannot be fetched: {told}. Give OWNER/NAME of a dataset that you may read; HF_TOKEN is the "
            "token for private ones"
        ) from error
