"""The review's page, style and script."""
