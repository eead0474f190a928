"""Tables, staged shards and exports. Imports nothing else of the project."""
