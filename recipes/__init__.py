"""Recipes that ship: one for a demo, one for each paper. `counterfoil recipes` lists them."""
