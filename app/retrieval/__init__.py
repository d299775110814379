"""Retrieval: runs. Takes corpus, queries and run files; leaves ranked spans."""
