"""`counterfoil new`: a domain or a family that runs as it is written, to be changed into one of your own."""

from __future__ import annotations

import ast
import importlib.util
import json
import keyword
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

from counterfoil.tasks.contract.domain import Domain
from counterfoil.tasks.engine.guests import RESERVED
from counterfoil.tasks.engine.registry import find_modules, list_domains, load_domain

_NAME = re.compile(r"[a-z][a-z0-9_]*")
WIDTH = 120
_DIGEST = (
    "import importlib, json, sys\n"
    "from dataclasses import replace\n"
    "from counterfoil.tasks.engine.golden import digest_domain\n"
    "domain = importlib.import_module(sys.argv[1]).DOMAIN\n"
    "if sys.argv[3:]:\n"
    "    family = importlib.import_module(sys.argv[3]).FAMILY\n"
    "    domain = replace(domain, families={family.name: family})\n"
    "print(json.dumps(digest_domain(domain, [each for each in sys.argv[2:3] if each])))\n"
)


class SkeletonError(Exception):
    """Nothing can be written. The message says why and what to do."""


@dataclass
class Written:
    """What was written or changed, and what to do next."""

    files: list[Path] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)

    def write(self, path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        self.files.append(path)


def write_domain(name: str, where: Path) -> Written:
    """Write the package of a domain ``name`` into the new folder ``where / name``.

    Raises:
        SkeletonError: the name is no good or taken, or the folder is there.
    """
    _check_name(name, name)
    if name in (*list_domains(), *RESERVED) or importlib.util.find_spec(name) is not None:
        raise SkeletonError(f"{name!r} is taken: by a domain, a section of recipes or a module that is installed")
    root, made = where / name, Written()
    _check_free(root)
    entry = f'{name} = "{name}.domain:DOMAIN"'
    told = {"name": name, "Name": name.title().replace("_", ""), "module": name}
    told |= {"package": name.replace("_", "-"), "group": "counterfoil.domains", "entry": entry}
    made.write(root / "pyproject.toml", _fill("pyproject", told) + _fill("lint", told))
    made.write(root / "recipe.toml", _fill("recipe", told))
    package = root / name
    made.write(package / "__init__.py", f'"""The domain {name}."""\n')
    for part in ("settings", "dots", "domain"):
        made.write(package / f"{part}.py", _fill(part, told))
    made.write(package / "families" / "__init__.py", '"""One file for each way of making contrasts."""\n')
    made.write(package / "families" / "exchange.py", _fill("exchange", told))
    made.write(package / "reasons.toml", _fill("domain_reasons", told))
    made.write(root / "tests" / f"test_{name}.py", _fill("test_domain", told))
    _write_golden(made, root / "tests" / "golden.json", _digest(root, f"{name}.domain", ""))
    made.steps += [f"pip install -e {name}", f"python -m pytest {name}/tests", f"counterfoil run {name}/recipe.toml"]
    return made


def write_family(full_name: str, where: Path) -> Written:
    """Write a family ``DOMAIN.NAME``: beside its sisters where the domain's package lies under ``where``, else as a
    package of its own in a new folder.

    Raises:
        SkeletonError: the name is no good or taken, or the domain's files are not as `write_domain` lays them out.
        UnknownNameError, GuestError: there is no such domain, or it cannot be used.
    """
    domain_name, _, name = full_name.partition(".")
    _check_name(name, full_name)
    domain = load_domain(domain_name)
    if full_name in domain.families:
        raise SkeletonError(f"{full_name} is there already")
    module = find_modules(domain_name)[0]
    home = Path(sys.modules[module].__file__ or "").resolve()
    if home.is_relative_to(where.resolve()) and "site-packages" not in home.parts:
        return _write_sister(domain, name, module, home)
    return _write_guest(domain, name, module, where)


def _write_sister(domain: Domain[Any], name: str, module: str, home: Path) -> Written:
    """In the domain's own package."""
    made, package = Written(), module.rpartition(".")[0]
    path = home.parent / "families" / f"{name}.py"
    _check_free(path)
    listed = add_to_list(home.read_text(encoding="utf-8"), name, home)
    own = package.startswith("counterfoil.tasks.")
    folders = package.removeprefix("counterfoil.").split(".")
    root = home.parents[len(folders)]
    tests = root / "tests" / Path(*folders) if own else root / "tests"
    told = _tell_family(domain, name, f"{package}.families.{name}", module)
    made.write(path, _fill("family", told))
    made.write(home, listed)
    made.write(tests / f"test_{name}.py", _fill("test_family", told))
    _add_reasons(made, home.with_name("reasons.toml"))
    golden = root / "tests" / "tasks" / "golden.json" if own else tests / "golden.json"
    if golden.is_file():
        known = json.loads(golden.read_text(encoding="utf-8"))
        # Of what is there already nothing is made anew.
        found = _digest(root, module, told["family"])
        fresh = {key: value for key, value in found.items() if key.startswith(f"{told['family']}@")}
        _write_golden(made, golden, known | fresh)
    made.steps.append(f"python -m pytest {os.path.relpath(tests / f'test_{name}.py')}")
    return made


def _write_guest(domain: Domain[Any], name: str, module: str, where: Path) -> Written:
    """In a package of its own, which adds it to the domain by an entry point."""
    made, package = Written(), f"{domain.name}_{name}"
    root = where / package
    _check_free(root)
    if importlib.util.find_spec(package) is not None:
        raise SkeletonError(f"{package!r} is the name of a module that is installed: choose another")
    told = _tell_family(domain, name, package, module)
    told |= {"package": package.replace("_", "-"), "group": "counterfoil.families"}
    told["entry"] = f'"{told["family"]}" = "{package}:FAMILY"'
    made.write(root / "pyproject.toml", _fill("pyproject", told))
    made.write(root / package / "__init__.py", _fill("family", told))
    made.write(root / package / "reasons.toml", _fill("family_reasons", told))
    made.write(root / "tests" / f"test_{name}.py", _fill("test_family", told))
    made.write(root / "tests" / "test_golden.py", _fill("test_golden", told))
    _write_golden(made, root / "tests" / "golden.json", _digest(root, module, "", package))
    made.steps += [
        f"pip install -e {package}",
        f"python -m pytest {package}/tests",
        f"counterfoil families | grep {name}",
    ]
    return made


def add_to_list(source: str, name: str, where: Path | str) -> str:
    """A domain's module with ``*name.FAMILIES`` at the end of what it gives `list_families`, and its import.

    >>> print(add_to_list("from a.families import b\\nx = list_families([*b.FAMILIES])\\n", "c", "a.py"), end="")
    from a.families import b, c
    x = list_families([*b.FAMILIES, *c.FAMILIES])

    Raises:
        SkeletonError: it has neither such an import nor such a list.
    """
    tree = ast.parse(source)
    imports = [
        each for each in tree.body if isinstance(each, ast.ImportFrom) and f".{each.module}".endswith(".families")
    ]
    lists = [
        call.args[0]
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "list_families"
        if call.args and isinstance(call.args[0], ast.List) and call.args[0].elts
    ]
    if not imports or len(lists) != 1:
        raise SkeletonError(f"{where} has no line `from ....families import ...` with one `list_families([...])`")
    lines = source.splitlines(keepends=True)
    (listed,), named = lists, imports[0]
    last = listed.elts[-1]
    assert last.end_lineno is not None and last.end_col_offset is not None and named.end_lineno is not None
    line = lines[last.end_lineno - 1]
    many = listed.lineno != listed.end_lineno
    added = f",\n{' ' * last.col_offset}*{name}.FAMILIES" if many else f", *{name}.FAMILIES"
    line = line[: last.end_col_offset] + added + line[last.end_col_offset :]
    if not many and len(line.rstrip()) > WIDTH:
        begin, end = listed.col_offset, line.rindex("]") + 1
        indent = " " * (len(line) - len(line.lstrip()))
        line = f"{line[:begin]}\n{indent}    {line[begin:end]}\n{indent}{line[end:]}"
    lines[last.end_lineno - 1] = line
    names = ", ".join(sorted([*(each.name for each in named.names), name]))
    lines[named.lineno - 1 : named.end_lineno] = [f"from {named.module} import {names}\n"]
    return "".join(lines)


def _tell_family(domain: Domain[Any], name: str, module: str, home: str) -> dict[str, str]:
    """What a family's files are filled with; the domain's own ``refutes`` judges its rows."""
    settings, judge = domain.settings_type, domain.refutes
    imports = [f"from {settings.__module__} import {settings.__name__}"]
    helper = ""
    if judge.__module__ not in (home, None) and judge.__name__.isidentifier():
        imports.append(
            f"from {judge.__module__} import {judge.__name__}{'' if judge.__name__ == 'refutes' else ' as refutes'}"
        )
    else:
        helper = _JUDGE.format(settings=settings.__name__, home=home)
    return {
        "family": f"{domain.name}.{name}",
        "name": name,
        "NAME": name.upper(),
        "Settings": settings.__name__,
        "imports": "\n".join(sorted(imports)),
        "helper": helper,
        "module": module,
        "home": f"from {home} import DOMAIN",
    }


_JUDGE = '''

def refutes(text: str, anchor: Anchor, context: Context[{settings}]) -> bool | None:
    """Whether a text is false of the anchor, as its domain judges."""
    from {home} import DOMAIN  # which imports this module

    return DOMAIN.refutes(text, anchor, context)
'''


def _fill(part: str, told: Mapping[str, str]) -> str:
    return Template(
        files("counterfoil.flows.planning.skeletons").joinpath(f"{part}.txt").read_text(encoding="utf-8")
    ).substitute(told)


def _digest(root: Path, module: str, family: str, guest: str = "") -> dict[str, str]:
    """The golden digests, by a process of its own: what was just written has never been imported here."""
    path = os.pathsep.join([str(root), *(each for each in sys.path if each)])
    command = [sys.executable, "-c", _DIGEST, module, family, *([guest] if guest else [])]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True)
    if done.returncode:
        raise SkeletonError(f"what was written in {root} does not run: {done.stderr.strip().splitlines()[-1]}")
    found: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    return found


def _write_golden(made: Written, path: Path, digests: Mapping[str, str]) -> None:
    made.write(path, json.dumps(digests, indent=2, sort_keys=True) + "\n")


def _add_reasons(made: Written, path: Path) -> None:
    """The sentences of a new family's checks, those that the domain does not have yet."""
    known = path.read_text(encoding="utf-8") if path.is_file() else ""
    new = [
        line
        for line in _fill("family_reasons", {}).splitlines()
        if line.partition(" = ")[0] not in tomllib.loads(known)
    ]
    made.write(path, known + "".join(f"{line}\n" for line in new))


def _check_name(name: str, said: str) -> None:
    if not _NAME.fullmatch(name) or keyword.iskeyword(name):
        raise SkeletonError(
            f"{said!r} is no name: small letters, digits and _, such as bars, and bars.shifted of a family"
        )


def _check_free(path: Path) -> None:
    if path.exists():
        raise SkeletonError(f"{path} is there already: nothing was written")
