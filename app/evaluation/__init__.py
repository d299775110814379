"""Evaluation: takes a release and runs, leaves scores with the values behind each mean."""
