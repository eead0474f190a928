"""Rows made fit to be read by a person: notation, pictures, texts. What the report and the review page share."""
