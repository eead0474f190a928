"""Geometry with a language-model author: what it writes is a proposal, judged as any other."""
