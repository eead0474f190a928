"""Bar charts, and near misses with two bars exchanged."""
