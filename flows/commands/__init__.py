"""The commands of `counterfoil`, by what they are for. Each imports what it needs, so that `--help` answers at once."""
