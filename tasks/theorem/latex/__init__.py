"""The mathematical pieces of informal statements, which are LaTeX."""
