"""What `counterfoil new` writes: files with $names in them, laid out by `counterfoil.flows.planning.skeleton`."""
