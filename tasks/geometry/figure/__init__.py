"""Scenes and the moving of their points until their facts hold."""
