"""Releases: frozen labels. Takes grades and gates; leaves numbered sets and their exports."""
