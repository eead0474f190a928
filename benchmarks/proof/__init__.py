"""Does the data make models better? A small CLIP under several objectives, families and tables.

    python -m benchmarks.proof scenes            # or words, flowcharts, geometry, tells, all
    python -m benchmarks.proof scenes --scale 4 --to proofs --seeds 0 1 2

A command makes the datasets by `counterfoil run`, packs them, trains a start where the suite has one (a CLIP on
pictures and captions alone, from which all settings go on; `--from-scratch` leaves it out), trains every setting with
every seed for the same number of steps on the same anchors in the same order, and scores each on the held-out source
rows: retrieval over all of them and among the hard negatives of every family, also of families that the setting never
saw. What is finished is not done again, so a command that was killed goes on; findings are written at its end, and by
`--report` at any time. `--scale` multiplies source rows and steps.
"""
