"""Flows that make a dataset: a run, its stages, their shards, and the publish."""
