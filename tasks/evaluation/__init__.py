"""Evaluation: encoders on benchmarks by their authors' protocols, and on our own datasets, beside blind baselines."""
