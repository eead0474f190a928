"""The flowchart families: each file holds a maker, its verifier and the entry that the domain lists."""
