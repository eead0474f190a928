"""Script files to pictures: for each, NAME.png where there is one, and NAME.json that says how it went."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Generator, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from counterfoil.renderers.results import Rendering
from counterfoil.renderers.sandbox import Limits, SandboxError, open_renderer


def render_files(
    paths: Iterable[str | Path],
    to_dir: str | Path,
    *,
    level: str | None = None,
    limits: Limits | None = None,
    unsafe: bool = False,
) -> Generator[tuple[Path, Rendering]]:
    """Render script files one by one into ``to_dir`` and yield each with its rendering. Closing it ends the sandbox.

    Both files of a script are written whole or not at all. Raises `SandboxError` where two scripts would share a
    NAME, and `OSError` where a script cannot be read or the folder cannot be written.
    """
    scripts = [Path(path) for path in paths]
    seen: dict[str, Path] = {}
    for path in scripts:
        if path.stem in seen:
            raise SandboxError(f"{seen[path.stem]} and {path} would both become {path.stem}.png; rename one")
        seen[path.stem] = path
    folder = Path(to_dir)
    folder.mkdir(parents=True, exist_ok=True)
    with open_renderer(level, limits=limits, unsafe=unsafe) as renderer:
        for path in scripts:
            rendering = renderer.render(path.read_text(encoding="utf-8", errors="surrogateescape"))
            picture = folder / f"{path.stem}.png"
            if rendering.png is not None:
                _write_whole(picture, rendering.png)
            else:
                picture.unlink(missing_ok=True)
            content = json.dumps(describe_rendering(rendering), ensure_ascii=False, indent=1) + "\n"
            _write_whole(folder / f"{path.stem}.json", content.encode())
            yield path, rendering


def describe_rendering(rendering: Rendering) -> dict[str, Any]:
    """A rendering as JSON has it: outcome, level, exception, log and drawing; no bytes and no times."""
    return {
        "outcome": rendering.outcome.value,
        "level": rendering.level,
        "width": rendering.width,
        "height": rendering.height,
        "error": asdict(rendering.error) if rendering.error else None,
        "log": rendering.log,
        "drawing": asdict(rendering.drawing) if rendering.drawing else None,
    }


def _write_whole(path: Path, content: bytes) -> None:
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            os.fchmod(file.fileno(), 0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
