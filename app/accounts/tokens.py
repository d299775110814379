"""Tokens: random, shown once, kept only as hashes."""

import hashlib
import secrets


def new_token() -> str:
    """Make a token of 256 random bits that fits into an address."""
    return secrets.token_urlsafe(32)


def hash_token(token: str) -> str:
    """Return what the database keeps of a token."""
    return hashlib.sha256(token.encode()).hexdigest()
