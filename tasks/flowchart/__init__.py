"""Flowcharts: Mermaid code to triplets, pictures, hard positives and verified hard negatives (SaCLIP)."""
