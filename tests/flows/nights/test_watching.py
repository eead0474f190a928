"""The watch over dead hosts."""

from __future__ import annotations

import pkgutil
from importlib import import_module

import pytest
from prefect import Flow
from prefect.client.orchestration import SyncPrefectClient
from prefect.events.schemas.automations import AutomationCore
from prefect.states import Pending, Scheduled

import flows
from flows.nights.watching import FLOWS, describe_automation, describe_beginning
from tests.flows.served import await_that


def test_every_flow_of_ours_is_watched():
    modules = [import_module(f"flows.{each.name}") for each in pkgutil.iter_modules(flows.__path__)]
    ours = {value.name for module in modules for value in vars(module).values() if isinstance(value, Flow)}
    assert ours == {*FLOWS}


@pytest.mark.parametrize("describe", [describe_automation, describe_beginning])
def test_an_automation_of_other_flows_or_another_silence_is_written_anew(describe):
    # It is told from the one on the server by its description.
    described = describe(180)["description"]
    assert all(name in described for name in FLOWS)
    assert described != describe(60)["description"]


def test_a_run_that_was_taken_and_never_begins_is_marked_crashed(prefect_server):
    beginning = AutomationCore.model_validate(describe_beginning(30))
    with SyncPrefectClient(prefect_server["PREFECT_API_URL"]) as client:
        automation = client.create_automation(beginning)
        run = client.create_flow_run(Flow(lambda: None, name=FLOWS[0]), state=Scheduled())
        client.set_flow_run_state(run.id, Pending())
        state = await_that(lambda: (now := client.read_flow_run(run.id).state).is_crashed() and now, 280)
        client.delete_automation(automation)
    assert "never begun" in state.message
