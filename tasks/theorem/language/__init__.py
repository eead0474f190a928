"""The grammar of informal statements: what is supposed, what is claimed, and in which words."""
