"""Pooling: what to grade. Takes runs; leaves items with who found them."""
