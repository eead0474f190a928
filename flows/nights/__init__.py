"""Nights: the pipeline of all stages, the deployments that offer it, and the watch over dead hosts."""
