"""What a person sees: the terminal, the bars, the logs and metrics, and the Prefect UI."""
