"""Queries: what searchers ask. Takes files; leaves queries in versions."""
