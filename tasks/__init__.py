"""What the flows chain: plain functions, importable and testable without Prefect."""
