"""The watch over dead hosts."""

from __future__ import annotations

import pkgutil
from datetime import UTC, datetime, timedelta
from importlib import import_module
from uuid import UUID

import pytest
from prefect import Flow
from prefect.client.orchestration import SyncPrefectClient
from prefect.events.schemas.automations import AutomationCore
from prefect.states import Pending, Scheduled

from counterfoil import flows
from counterfoil.flows.making.abandoned import NEVER_BEGUN, find_abandoned, read_bound
from counterfoil.flows.nights.watching import FLOWS, describe_automation, describe_beginning
from tests.flows.conftest import NIGHTLY
from tests.flows.served import await_deployment, await_that, serve_recipe, start

LEAST_S = 10
"""What Prefect lets an automation wait at least."""


def test_every_flow_of_ours_is_watched():
    modules = [import_module(each.name) for each in pkgutil.walk_packages(flows.__path__, "counterfoil.flows.")]
    ours = {value.name for module in modules for value in vars(module).values() if isinstance(value, Flow)}
    assert ours == {*FLOWS}


@pytest.mark.parametrize("describe", [describe_automation, describe_beginning])
def test_an_automation_of_other_flows_or_another_silence_is_written_anew(describe):
    # It is told from the one on the server by its description.
    described = describe(180)["description"]
    assert all(name in described for name in FLOWS)
    assert described != describe(60)["description"]


@pytest.mark.slow
def test_a_run_that_was_taken_and_never_begins_is_marked_crashed(prefect_server):
    beginning = AutomationCore.model_validate(describe_beginning(30))
    with SyncPrefectClient(prefect_server["PREFECT_API_URL"]) as client:
        automation = client.create_automation(beginning)
        run = client.create_flow_run(Flow(lambda: None, name=FLOWS[0]), state=Scheduled())
        client.set_flow_run_state(run.id, Pending())
        state = await_that(lambda: (now := client.read_flow_run(run.id).state).is_crashed() and now, 280)
        client.delete_automation(automation)
    assert "never begun" in state.message


def leave_pending(client: SyncPrefectClient, deployment: UUID) -> UUID:
    """A run that a worker took and never began, and whose slot the server took back as its lease ended."""
    tomorrow = Scheduled(scheduled_time=datetime.now(UTC) + timedelta(days=1))  # the service itself takes what is due
    run = client.create_flow_run_from_deployment(deployment, state=tomorrow)
    state = client.set_flow_run_state(run.id, Pending(name="Submitting")).state
    client.release_concurrency_slots_with_lease(state.state_details.deployment_concurrency_lease_id)
    return run.id


def bound_waits(client: SyncPrefectClient, seconds: int, enabled: bool = True) -> None:
    """Give the watch over runs that never began this bound, and no run to watch: it marks none by itself."""
    described = describe_beginning(seconds)
    described["trigger"]["match_related"]["prefect.resource.name"] = ["nobody's"]
    watch = AutomationCore.model_validate(described | {"enabled": enabled})
    client.update_automation(client.read_automations_by_name(NEVER_BEGUN)[0].id, watch)


@pytest.mark.slow
@pytest.mark.timeout(580)
def test_a_run_that_begins_marks_others_of_its_deployment_crashed_that_were_taken_and_never_began(
    prefect_server, api, tmp_path
):
    (tmp_path / "night.toml").write_text(NIGHTLY.format(path=tmp_path / "night"))
    with serve_recipe(tmp_path, prefect_server), SyncPrefectClient(prefect_server["PREFECT_API_URL"]) as client:
        other, night = (UUID(await_deployment(api, name)["id"]) for name in ("regenerate@serve", "make-night@serve"))
        dead, of_another = leave_pending(client, night), leave_pending(client, other)
        bound_waits(client, 3600)
        assert not find_abandoned(client, night, read_bound(client))
        bound_waits(client, LEAST_S, enabled=False)
        assert read_bound(client) is None
        bound_waits(client, LEAST_S)
        await_that(lambda: find_abandoned(client, night, read_bound(client)))
        made = UUID(start(api, "make-night@serve"))
        await_that(lambda: client.read_flow_run(dead).state.is_crashed())
        held = await_that(lambda: hold_slots(client, night, made))
        done = await_that(lambda: (now := client.read_flow_run(made).state).is_final() and now)
        states = [client.read_flow_run(each).state for each in (dead, of_another)]
        left = client.read_deployment(night).global_concurrency_limit.active_slots
    assert done.is_completed()
    assert [state.name for state in states] == ["Crashed", "Submitting"]
    assert "never begun" in states[0].message
    assert (held, left) == ([1, "RUNNING"], 0), "the run under way keeps the slot of its deployment until it ends"


def hold_slots(client: SyncPrefectClient, deployment: UUID, run: UUID) -> list[object] | None:
    """The deployment's slots that are taken, once there are any, and the state of the run then."""
    taken = client.read_deployment(deployment).global_concurrency_limit.active_slots
    return [taken, client.read_flow_run(run).state.type.value] if taken else None
