"""The watch over dead hosts."""

from __future__ import annotations

import pkgutil
from importlib import import_module

from prefect import Flow

import flows
from flows.watching import FLOWS, describe_automation


def test_every_flow_of_ours_is_watched():
    modules = [import_module(f"flows.{each.name}") for each in pkgutil.iter_modules(flows.__path__)]
    ours = {value.name for module in modules for value in vars(module).values() if isinstance(value, Flow)}
    assert ours == {*FLOWS}


def test_an_automation_of_other_flows_or_another_silence_is_written_anew():
    # It is told from the one on the server by its description.
    described = describe_automation(180)["description"]
    assert all(name in described for name in FLOWS)
    assert described != describe_automation(60)["description"]
