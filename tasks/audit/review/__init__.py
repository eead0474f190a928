"""A person's judgement of a dataset's rows, blind to what the dataset says of them, and the error rates it measures."""
