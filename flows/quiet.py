"""Prefect's settings for a run that nobody configured: its own ephemeral server, quietly, telemetry off."""

from __future__ import annotations

import os

TELEMETRY_OFF = {"DO_NOT_TRACK": "1", "PREFECT_SERVER_ANALYTICS_ENABLED": "false"}

EPHEMERAL = {
    "PREFECT_LOGGING_LEVEL": "CRITICAL",
    "PREFECT_LOGGING_SERVER_LEVEL": "CRITICAL",
    "PREFECT_SERVER_LOGGING_LEVEL": "CRITICAL",
    # An ephemeral server forgets at exit: services that record, schedule and watch only cost time and shut-down noise.
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_ENABLED": "false",
    "PREFECT_SERVER_SERVICES_EVENT_PERSISTER_ENABLED": "false",
    "PREFECT_SERVER_SERVICES_SCHEDULER_ENABLED": "false",
    "PREFECT_SERVER_SERVICES_LATE_RUNS_ENABLED": "false",
    "PREFECT_SERVER_SERVICES_TRIGGERS_ENABLED": "false",
    "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "120",
}


def configure_prefect() -> bool:
    """Set the environment before Prefect is imported; what the user set stays. True if a server is configured."""
    for name, value in TELEMETRY_OFF.items():
        os.environ.setdefault(name, value)
    if has_server():
        # The server keeps the logs, tracebacks included; the terminal has our own lines.
        os.environ.setdefault("PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL", "CRITICAL")
        return True
    for name, value in EPHEMERAL.items():
        os.environ.setdefault(name, value)
    return False


def has_server() -> bool:
    """Whether PREFECT_API_URL, or the active Prefect profile, names a server."""
    if os.environ.get("PREFECT_API_URL"):
        return True
    profiles = os.path.expanduser(os.environ.get("PREFECT_PROFILES_PATH", "~/.prefect/profiles.toml"))  # noqa: PTH111
    if not os.path.exists(profiles):  # noqa: PTH110
        return False
    import tomllib

    with open(profiles, "rb") as file:  # noqa: PTH123
        data = tomllib.load(file)
    active = os.environ.get("PREFECT_PROFILE", data.get("active", ""))
    return bool(data.get("profiles", {}).get(active, {}).get("PREFECT_API_URL"))
