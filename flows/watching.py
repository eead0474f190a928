"""The automation that ends a run whose host is dead: no heartbeat for a while, and Prefect marks it Crashed.

A process that is killed says nothing, and Prefect's server would show its run as Running for good, with the slot of its
deployment taken and every later night waiting for it. Each flow run beats while it lives; the automation hears of it.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

AUTOMATION = "counterfoil: runs of dead hosts"
FLOWS = (
    *("counterfoil", "counterfoil regenerate", "counterfoil train", "counterfoil sft", "counterfoil ablate"),
    *("counterfoil evaluate", "counterfoil pipeline"),
    *("anchors", "family", "sft stage"),
)
"""Names of our flows: the automation leaves those of others alone."""
SILENCE_S = 180
LEAST_SILENCE_S = 45
"""Prefect beats every 30 seconds at most."""
BEATS = 3
"""Heartbeats in a silence, where Prefect allows so many: one that is late is no death."""
LEAST_BEAT_S = 30
BEGUN = ("Running", "Retrying")
"""Told by the server, so a host that dies before its first beat is missed too."""
LEFT = ("Completed", "Failed", "Cancelled", "Crashed", "Paused", "Suspended", "Scheduled", "AwaitingRetry")
"""States in which nothing beats."""
MESSAGE = "No heartbeat: its host is dead or cut off. What is finished is kept; the next run goes on from there."


def beat_environment(silence_s: int) -> dict[str, str]:
    """The environment in which flow runs beat often enough for ``silence_s``.

    >>> beat_environment(180)
    {'PREFECT_FLOWS_HEARTBEAT_FREQUENCY': '60'}
    """
    return {"PREFECT_FLOWS_HEARTBEAT_FREQUENCY": str(max(LEAST_BEAT_S, silence_s // BEATS))}


def watch_heartbeats(silence_s: int) -> None:
    """Have Prefect's server mark a run Crashed after ``silence_s`` seconds without a heartbeat.

    There is one such automation on a server: this makes it, or gives it another silence. One that is right is left
    alone, as Prefect forgets the silences under way when an automation is written; so is one that was switched off.
    """
    from prefect.client.orchestration import get_client
    from prefect.events.schemas.automations import AutomationCore

    wanted = AutomationCore.model_validate(describe_automation(silence_s))
    with get_client(sync_client=True) as client:
        there = client.read_automations_by_name(AUTOMATION)
        if not there:
            client.create_automation(wanted)
        elif there[0].description != wanted.description:
            client.update_automation(there[0].id, wanted)


def describe_automation(silence_s: int) -> dict[str, Any]:
    """The automation as Prefect's API takes it."""
    living = [f"prefect.flow-run.{each}" for each in ("heartbeat", *BEGUN)]
    return {
        "name": AUTOMATION,
        "description": (
            f"Marks a run Crashed that was not heard of for {silence_s} seconds. Made by counterfoil, "
            f"for the flows {', '.join(FLOWS)}."
        ),
        "enabled": True,
        "trigger": {
            "type": "event",
            "posture": "Proactive",
            "after": living,
            "expect": [*living, *(f"prefect.flow-run.{state}" for state in LEFT)],
            "match": {"prefect.resource.id": ["prefect.flow-run.*"]},
            "match_related": {"prefect.resource.role": "flow", "prefect.resource.name": [*FLOWS]},
            "for_each": ["prefect.resource.id"],
            "threshold": 1,
            "within": timedelta(seconds=silence_s),
        },
        # Without force: a run that has ended after all keeps the state that it ended in.
        "actions": [{"type": "change-flow-run-state", "state": "CRASHED", "name": "Crashed", "message": MESSAGE}],
    }
