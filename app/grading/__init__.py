"""Grading: the SME's desk. Takes a block of slots; leaves grades."""
