"""What a small LLaVA learns from pictures by the product's stages, how fast, and in how much memory.

    python -m benchmarks.lmm learn DATASET --to FOLDER --vision TOWER [--towers aligned random] [--seeds 3]
    python -m benchmarks.lmm speed DATASET --to FOLDER
    python -m benchmarks.lmm memory DATASET --to FOLDER

`learn`: accuracies on held-out questions of yes and no, with pictures, blind and with another's picture (`learning`).
TOWER is the folder of a model that `counterfoil train` has aligned, such as the start that `benchmarks.proof scenes`
trains. `speed`: tokens a second of our tuning stage beside TRL's own example loop (`SFTTrainer` on messages, its own
collator and preparation) on the same model and rows, in turns. `memory`: peak resident memory of each stage beside the
estimate, each in a process of its own.
"""
