"""What is asked of a finished dataset: its audit, its versions, a review, an export."""
