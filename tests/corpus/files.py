"""Files: what the tests of imports write down."""

from pathlib import Path


def write(folder: Path, *lines: str | bytes, name: str = "file.jsonl") -> Path:
    """Write lines, each with its line feed, and return the file."""
    path = folder / name
    raw = [line.encode() if isinstance(line, str) else line for line in lines]
    path.write_bytes(b"".join(line + b"\n" for line in raw))
    return path
