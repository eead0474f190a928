"""Reads a report as a browser does: the page, and the parts that it unpacks."""

from __future__ import annotations

import base64
import json
import zlib
from pathlib import Path
from typing import Any

import lxml.html

from counterfoil.tasks.report.assemble import assemble_report
from counterfoil.tasks.report.collect import Tables
from counterfoil.tasks.report.parts import Shelf


def assemble(tables: Tables, folder: Path, single_file: int = 10**9, **options: Any) -> str:
    """The page of these tables; all parts stand in it unless ``single_file`` is small."""
    return assemble_report(tables, Shelf(folder, single_file), **options)


def unpack(content: str) -> Any:
    return json.loads(zlib.decompress(base64.b64decode(content), -zlib.MAX_WBITS))


def read_parts(page: str | bytes) -> dict[str, Any]:
    """The parts that stand in a page, by name."""
    scripts = lxml.html.document_fromstring(page).xpath("//script[@class='part']")
    return {script.get("data-name"): unpack(script.text) for script in scripts}


def read_samples(page: str | bytes) -> lxml.html.HtmlElement:
    """All anchors of a page, in one element."""
    parts = read_parts(page)
    html = "".join(part["html"] for name, part in sorted(parts.items()) if name.startswith("anchors-"))
    return lxml.html.fragment_fromstring(html, create_parent="main")


def read_pictures(page: str | bytes) -> list[str]:
    """The data URIs of a page, as often as they are written."""
    return [uri for part in read_parts(page).values() if isinstance(part, dict) for uri in part["pictures"]]
