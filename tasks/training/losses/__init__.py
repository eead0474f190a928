"""The objectives, one file each: pure functions of similarities or features.

Similarities are cosines of L2-normalised features, ``scale`` is exp(logit_scale), and logits are their product, in
float32 (or float64) with autocast off. `counterfoil.tasks.training.objectives` weighs and adds them as a recipe asks.
"""
