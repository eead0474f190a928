"""What is said of a figure: predicates, residuals, values, names."""
