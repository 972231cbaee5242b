"""Connectors: from the files and systems of an incident to observations. They observe and never decide."""
