"""`counterfoil push`: an export uploaded to a dataset repository of the Hugging Face Hub."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any

from counterfoil.flows.datasets.exporting import export_with_card
from counterfoil.storage.errors import StorageError
from counterfoil.storage.export import Progress
from counterfoil.storage.exported import Exported
from counterfoil.tasks.packages import explained

REPO = re.compile(r"[\w][\w.-]{0,95}/[\w][\w.-]{0,95}")


class PushError(Exception):
    """The Hub cannot be reached, or refuses. The message says what it said and what to do."""


def push_dataset(
    url: str, repo: str, format: str, *, private: bool, message: str, progress: Progress = lambda *_: None
) -> tuple[str, Exported]:
    """Export the dataset and upload it as one commit; the commit's address, and what was uploaded.

    Files that the repository has besides stay. The Hub's endpoint and token are huggingface_hub's own: HF_ENDPOINT,
    HF_TOKEN or `hf auth login`.

    Raises:
        PushError: there is no token, or the Hub refuses.
        MissingPackageError: huggingface_hub is not installed.
        StorageError: the dataset cannot be read.
    """
    if not REPO.fullmatch(repo):
        raise PushError(f"{repo!r} is no repository: give OWNER/NAME")
    if format not in ("hf", "triplets"):
        raise StorageError(f"there is no push of {format}: use hf or triplets")
    api, card_type, errors = _open_hub()
    with tempfile.TemporaryDirectory(prefix="counterfoil-") as folder:
        written = export_with_card(
            url, Path(folder) / "export", format, rotate=None, scale=None, rejects=False, progress=progress
        )
        try:
            card = card_type.load(str(written.folder / "README.md"))
            api.create_repo(repo, repo_type="dataset", private=private, exist_ok=True)
            card.validate(repo_type="dataset")
            commit = api.upload_folder(
                repo_id=repo, repo_type="dataset", folder_path=str(written.folder), commit_message=message
            )
        except errors as error:
            raise PushError(f"{api.endpoint} refuses {repo}: {_shorten(error)}") from error
    return str(commit.commit_url), written


def _open_hub() -> tuple[Any, Any, tuple[type[Exception], ...]]:
    with explained("push"):
        import httpx
        from huggingface_hub import DatasetCard, HfApi, get_token
        from huggingface_hub.errors import HfHubHTTPError
    if not get_token():
        raise PushError("there is no token of the Hugging Face Hub: set HF_TOKEN, or run `hf auth login`")
    return HfApi(), DatasetCard, (HfHubHTTPError, httpx.HTTPError, ValueError)


def _shorten(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return " ".join(lines[:3]) or type(error).__name__
