"""Web: what every room's routes share: sessions, templates, refusals, protection."""
