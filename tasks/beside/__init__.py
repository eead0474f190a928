"""Families that judge a statement beside another, for every domain that words statements: unit, halftruth, negation."""
