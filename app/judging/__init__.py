"""Judging: takes items and a judge, asks a language model, leaves grades or failures."""
