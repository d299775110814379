"""Accounts: who somebody is. Takes links, passwords and tokens; leaves a signed-in person."""
