"""What a stranger sees in a picture of a scene, measured on its pixels."""
