"""Goldspan: trusted relevance labels for search and RAG."""

__version__ = "0.1.0"
