"""Formats: files in and out as streams of checked rows, one module a format."""
