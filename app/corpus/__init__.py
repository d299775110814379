"""Corpus: documents and their versions. Takes files; leaves texts that never change."""
