"""Terms of both languages as one tree, what they come to at an instance, and the search for counterexamples."""
