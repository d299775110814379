"""Overview: a project's home page. Takes the state of every room; leaves the one next step."""
