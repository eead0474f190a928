"""The automations that end a run whose host is dead: nothing is heard of it for a while, and Prefect marks it Crashed.

A process that is killed says nothing, and Prefect's server would show its run as Running for good, with the slot of its
deployment taken and every later night waiting for it. Each flow run beats while it lives; one automation hears of that.
A run that a worker took and that never began, as the worker died first, beats not at all: it is Pending, and another
automation waits for it to begin, longer, as infrastructure takes its time (images, nodes that are full).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from counterfoil.flows.making.abandoned import LEAST_TO_BEGIN_S, MESSAGE_NEVER_BEGUN, NEVER_BEGUN

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
TAKEN = ("Pending", "Submitting", "InfrastructurePending")
"""Told as a worker takes a run and gets a process, container or pod for it."""
SILENCES_TO_BEGIN = 3
"""How many silences a run that was taken may wait for its infrastructure, if that is no less than `LEAST_TO_BEGIN_S`:
Prefect 3.8 looks 15 minutes late at a scheduled run's being taken, as the event before it never comes."""
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
    """Have Prefect's server mark a run Crashed after ``silence_s`` seconds without a heartbeat, and one that was taken
    and does not begin after three times as long, 20 minutes at least.

    There are two such automations on a server: this makes them, or gives them another silence. One that is right is
    left alone, as Prefect forgets the silences under way when an automation is written; one that was switched off too.
    """
    from prefect.client.orchestration import get_client
    from prefect.events.schemas.automations import AutomationCore

    with get_client(sync_client=True) as client:
        to_begin_s = max(SILENCES_TO_BEGIN * silence_s, LEAST_TO_BEGIN_S)
        for described in (describe_automation(silence_s), describe_beginning(to_begin_s)):
            wanted = AutomationCore.model_validate(described)
            there = client.read_automations_by_name(wanted.name)
            if not there:
                client.create_automation(wanted)
            elif there[0].description != wanted.description:
                client.update_automation(there[0].id, wanted)


def describe_automation(silence_s: int) -> dict[str, Any]:
    """The automation that hears heartbeats, as Prefect's API takes it."""
    living = ["heartbeat", *BEGUN]
    return _describe_automation(AUTOMATION, "was not heard of", silence_s, living, [*living, *LEFT], MESSAGE)


def describe_beginning(within_s: int) -> dict[str, Any]:
    """The automation that waits for a run to begin, as Prefect's API takes it."""
    heard = [*TAKEN, "heartbeat", *BEGUN, *LEFT]
    return _describe_automation(NEVER_BEGUN, "was taken and not begun", within_s, TAKEN, heard, MESSAGE_NEVER_BEGUN)


def _describe_automation(
    name: str, what: str, within_s: int, after: Sequence[str], expect: Sequence[str], message: str
) -> dict[str, Any]:
    """Mark a run Crashed for which, ``within_s`` seconds after an event, none of the expected came."""
    return {
        "name": name,
        "description": (
            f"Marks a run Crashed that {what} for {within_s} seconds. Made by counterfoil, "
            f"for the flows {', '.join(FLOWS)}."
        ),
        "enabled": True,
        "trigger": {
            "type": "event",
            "posture": "Proactive",
            "after": [f"prefect.flow-run.{each}" for each in after],
            "expect": [f"prefect.flow-run.{each}" for each in expect],
            "match": {"prefect.resource.id": ["prefect.flow-run.*"]},
            "match_related": {"prefect.resource.role": "flow", "prefect.resource.name": [*FLOWS]},
            "for_each": ["prefect.resource.id"],
            "threshold": 1,
            "within": timedelta(seconds=within_s),
        },
        # Without force: a run that has ended after all keeps the state that it ended in.
        "actions": [{"type": "change-flow-run-state", "state": "CRASHED", "name": "Crashed", "message": message}],
    }
