"""Pictures of our own: a scene graph, its drawing, its captions, and what a stranger sees in it."""
