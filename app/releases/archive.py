"""Archive: several files as one zip, written while they are made, in constant memory."""

import zipfile
from collections.abc import Iterable, Iterator

MADE = (1980, 1, 1, 0, 0, 0)
"""The date of every member, so that the same labels give the same bytes."""
BLOCK = 64 * 1024


class _Outlet:
    """A file that cannot be sought in: keeps what was written until it is drained."""

    def __init__(self) -> None:
        self._kept = bytearray()

    def write(self, data: bytes) -> int:
        self._kept += data
        return len(data)

    def flush(self) -> None:
        """Nothing waits anywhere else."""

    def close(self) -> None:
        """Nothing is open."""

    def drain(self, at_least: int = 0) -> bytes:
        if len(self._kept) <= at_least:
            return b""
        ready, self._kept = bytes(self._kept), bytearray()
        return ready


def zip_files(files: Iterable[tuple[str, Iterable[bytes]]]) -> Iterator[bytes]:
    """Yield a zip of (name, content) pairs, deflated, each content read once in its turn."""
    outlet = _Outlet()
    with zipfile.ZipFile(outlet, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files:
            member = zipfile.ZipInfo(name, MADE)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.external_attr = 0o644 << 16
            with archive.open(member, "w", force_zip64=True) as target:
                for block in content:
                    target.write(block)
                    if ready := outlet.drain(BLOCK):
                        yield ready
    if ready := outlet.drain():
        yield ready
