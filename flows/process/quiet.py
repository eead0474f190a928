"""Prefect's settings, which must be in the environment before it is imported: quiet, and with telemetry off."""

from __future__ import annotations

import os
from functools import cache

TELEMETRY_OFF = {"DO_NOT_TRACK": "1", "PREFECT_SERVER_ANALYTICS_ENABLED": "false"}

OWN_SERVER = {
    **TELEMETRY_OFF,
    "PREFECT_LOGGING_LEVEL": "CRITICAL",
    "PREFECT_LOGGING_SERVER_LEVEL": "CRITICAL",
    "PREFECT_SERVER_LOGGING_LEVEL": "CRITICAL",
    "PREFECT_LOGGING_TO_API_ENABLED": "false",
    "PREFECT_UI_ENABLED": "false",
    # It forgets at exit: services that record, schedule and watch only cost time and noise as it ends.
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_ENABLED": "false",
    "PREFECT_SERVER_SERVICES_EVENT_PERSISTER_ENABLED": "false",
    "PREFECT_SERVER_SERVICES_SCHEDULER_ENABLED": "false",
    "PREFECT_SERVER_SERVICES_LATE_RUNS_ENABLED": "false",
    "PREFECT_SERVER_SERVICES_TRIGGERS_ENABLED": "false",
}
"""For a server that a run starts for itself, and for the run."""


def silence_client() -> None:
    """Let a configured server keep the logs, tracebacks included: the terminal has our own lines."""
    for name, value in (TELEMETRY_OFF | {"PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL": "CRITICAL"}).items():
        os.environ.setdefault(name, value)


def has_server() -> bool:
    """Whether PREFECT_API_URL, or the active Prefect profile, names a server."""
    return bool(read_setting("PREFECT_API_URL"))


def read_setting(name: str) -> str:
    """One of Prefect's settings, from the environment or the active profile; "" where neither has it."""
    return os.environ.get(name) or str(_read_profile().get(name, ""))


def _read_profile() -> dict[str, object]:
    profiles = os.path.expanduser(os.environ.get("PREFECT_PROFILES_PATH", "~/.prefect/profiles.toml"))  # noqa: PTH111
    return _parse_profile(profiles, os.environ.get("PREFECT_PROFILE"))


@cache
def _parse_profile(path: str, chosen: str | None) -> dict[str, object]:
    if not os.path.exists(path):  # noqa: PTH110
        return {}
    import tomllib

    with open(path, "rb") as file:  # noqa: PTH123
        data = tomllib.load(file)
    active: dict[str, object] = data.get("profiles", {}).get(chosen or data.get("active", ""), {})
    return active
