"""An import contract for domains by pattern, ours and those of other packages: for `lint-imports`, by which alone it is
imported. `docs/add-a-domain.md` has the lines that a package needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output
from importlinter.domain.helpers import module_expressions_to_modules

OURS = "counterfoil"
BLIND = tuple(f"{OURS}.tasks.{each}" for each in ("training", "sft", "report", "audit", "looks", "tells", "engine"))
"""What reaches domains through the registry alone."""
ABOVE = (*BLIND, f"{OURS}.flows", f"{OURS}.tasks.evaluation", f"{OURS}.tasks.mining")
"""What stands above every domain."""
BELOW = (
    *(f"{OURS}.tasks.{each}" for each in ("contract", "llm", "encoders", "mining", "evaluation")),
    *(f"{OURS}.{each}" for each in ("renderers", "storage", "prompts")),
)
"""What knows no domain, directly or not."""


class DomainsContract(Contract):
    """A package with a module that matches ``domains`` (``tasks.*.families``) is a domain. It imports no other domain
    and nothing of what stands above domains; what stands below imports none, and what judges and trains names none."""

    type_name = "domains"

    domains = fields.SetField(subfield=fields.ModuleExpressionField())

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        del verbose
        expressions: Any = self.domains
        modules = [each.name for each in module_expressions_to_modules(graph, expressions)]
        packages = sorted({name.rpartition(".")[0] or name for name in modules})
        chains = [*_find_chains(graph, packages)]
        return ContractCheck(kept=bool(packages) and not chains, metadata={"packages": packages, "chains": chains})

    def render_broken_contract(self, check: ContractCheck) -> None:
        if not check.metadata["packages"]:
            output.print_error("no module matches `domains`: nothing would be checked")
        for chain in check.metadata["chains"]:
            output.print_error(" -> ".join(chain))


def _find_chains(graph: ImportGraph, packages: Iterable[str]) -> Iterator[tuple[str, ...]]:
    for package in packages:
        for other in {*packages, *ABOVE} - {package}:
            yield from _link(graph, package, other)
        for lower in BELOW:
            yield from _link(graph, lower, package)
        for blind in BLIND:
            if _has(graph, blind, package) and graph.direct_import_exists(
                importer=blind, imported=package, as_packages=True
            ):
                yield (blind, package)


def _link(graph: ImportGraph, importer: str, imported: str) -> list[tuple[str, ...]]:
    if not _has(graph, importer, imported):
        return []
    return sorted(graph.find_shortest_chains(importer=importer, imported=imported, as_packages=True))


def _has(graph: ImportGraph, *names: str) -> bool:
    return all(name in graph.modules for name in names)
