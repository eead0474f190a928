"""The process of a command: its signals, its home, and the Prefect server that it runs on."""
