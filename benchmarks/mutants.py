"""Small changes of a module's source, one at a time, each of which might make it decide otherwise.

A mutant exchanges an operator, a bound, a condition, a number, or leaves a call out that stands alone. What only words
a message or names a thing is let be: errors that are raised, formatted text, annotations, and the entries of families.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

_OPERATORS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
_PAIRS = (("min", "max"), ("any", "all"), ("minimum", "maximum"), ("floor", "ceil"), ("argmin", "argmax"))
_NAMES = {one: other for pair in _PAIRS for one, other in (pair, pair[::-1])}
_TOLD = {"version", "paper", "how", "description", "title", "help", "name", "strict"}
"""Keywords whose values tell, or guard against mistakes of our own, and decide nothing."""
DIFFERS = "__differs__"
"""The name under which a probe finds its comparison: see `Mutant.probe`."""


@dataclass(frozen=True)
class Mutant:
    """One change of one module."""

    path: str
    """of the module, from the repository's root"""
    first: int
    """the first line of what is changed"""
    last: int
    before: str
    after: str
    source: str
    """of the whole module, changed"""
    probe: str | None
    """The source with both values at that place: ``__differs__`` gets them as functions and gives the old one. None for
    statements, and where the expression cannot be evaluated twice."""


def count_changes(root: Path, path: str) -> int:
    """How many changes there are of one module."""
    return sum(1 for _ in _list_changes(ast.parse((root / path).read_text(encoding="utf-8"))))


def make_mutant(root: Path, path: str, place: int) -> Mutant | None:
    """The mutant of one change, by its place in the order of the module's source; None where it is the same module."""
    source = (root / path).read_text(encoding="utf-8")
    node, text = next(islice(_list_changes(ast.parse(source)), place, None))
    changed = _put(source, node, text)
    if ast.dump(ast.parse(changed)) == ast.dump(ast.parse(source)):
        return None
    before = ast.get_source_segment(source, node) or ""
    probe = None
    if isinstance(node, ast.expr) and not any(isinstance(each, ast.NamedExpr) for each in ast.walk(node)):
        probe = _put(source, node, f"{DIFFERS}(lambda: ({ast.unparse(node)}), lambda: ({text}))")
    last = node.end_lineno or node.lineno
    return Mutant(path, node.lineno, last, " ".join(before.split()), text, changed, probe)


def _put(source: str, node: ast.expr | ast.stmt, text: str) -> str:
    """The source with other text for a node, as many lines as before."""
    assert node.end_lineno is not None and node.end_col_offset is not None
    lines = source.encode().splitlines(keepends=True)
    head = lines[node.lineno - 1][: node.col_offset]
    tail = lines[node.end_lineno - 1][node.end_col_offset :]
    filled = f"({text}{chr(10) * (node.end_lineno - node.lineno)})" if isinstance(node, ast.expr) else text
    return b"".join([*lines[: node.lineno - 1], head, filled.encode(), tail, *lines[node.end_lineno :]]).decode()


def _list_changes(node: ast.AST, inside: ast.AST | None = None) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    if isinstance(node, ast.Raise | ast.JoinedStr | ast.Assert) or (
        isinstance(node, ast.keyword) and node.arg in _TOLD
    ):
        return
    yield from _change(node, inside)
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _list_changes(child, node)


def _change(node: ast.AST, inside: ast.AST | None) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    match node:
        case ast.Compare():
            for i, op in enumerate(node.ops):
                ops = [_OPERATORS[type(op)]() if i == k else each for k, each in enumerate(node.ops)]
                yield node, ast.unparse(ast.Compare(node.left, ops, node.comparators))  # type: ignore[arg-type]
        case ast.BoolOp():
            yield node, ast.unparse(ast.BoolOp(_OPERATORS[type(node.op)](), node.values))  # type: ignore[arg-type]
        case ast.UnaryOp(op=ast.Not()):
            yield node, ast.unparse(node.operand)
        case ast.BinOp() if type(node.op) in _OPERATORS and not _is_text(node):
            changed = ast.BinOp(node.left, _OPERATORS[type(node.op)](), node.right)  # type: ignore[arg-type]
            yield node, ast.unparse(changed)
        case ast.Constant(value=bool()):
            yield node, repr(not node.value)
        case ast.Constant(value=int() | float()):
            yield node, repr(node.value + 1)
        case ast.If() | ast.While() | ast.IfExp() if not isinstance(node.test, ast.Compare | ast.UnaryOp):
            if not (isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"):
                yield node.test, f"not ({ast.unparse(node.test)})"
        case ast.Call(func=ast.Name(id=name)) if name in _NAMES:
            yield node.func, _NAMES[name]
        case ast.Attribute(attr=name) if name in _NAMES and isinstance(inside, ast.Call) and inside.func is node:
            yield node, f"{ast.unparse(node.value)}.{_NAMES[name]}"
        case ast.Expr(value=ast.Call()) | ast.AugAssign():
            yield node, "pass"
        case ast.Continue():
            yield node, "break"


def _is_text(node: ast.BinOp) -> bool:
    """Whether something is put together, of which there is no difference: text, or a list."""
    plain = ast.List | ast.Tuple | ast.JoinedStr | ast.ListComp
    sides = (node.left, node.right)
    return any(isinstance(each, plain) or isinstance(getattr(each, "value", None), str) for each in sides)
