"""Models: the tables, one file a room."""
