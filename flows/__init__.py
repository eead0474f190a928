"""Thin Prefect flows and the command line."""
