"""The geometry families: makers of contrasts. Each has its verifier in `tasks.geometry.verify`."""
