"""Installation: Goldspan started by its command as a user does, in a folder of its own."""

import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
START_WITHIN = 600.0  # seconds; the demo builds its project first
STOP_WITHIN = 30.0


@dataclass(frozen=True, slots=True)
class Installation:
    """One installation: its data folder, its port, and its further GOLDSPAN_ settings."""

    data_dir: Path
    port: int
    settings: Mapping[str, str]

    @property
    def base(self) -> str:
        """Its address, without a slash at the end."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def database_url(self) -> str:
        """The address of its database."""
        kept = f"sqlite:///{self.data_dir.resolve() / 'goldspan.db'}"
        return self.settings.get("GOLDSPAN_DATABASE_URL", kept)

    def run(self, *words: str) -> str:
        """Run a command and return what it printed; CalledProcessError if it was refused."""
        done = subprocess.run(
            self._command(words), cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True
        )
        return done.stdout

    def _command(self, words: tuple[str, ...]) -> list[str]:
        given = {
            "GOLDSPAN_DATA_DIR": str(self.data_dir),
            "GOLDSPAN_PUBLIC_URL": self.base,
            **self.settings,
        }
        named = [f"{name}={value}" for name, value in given.items()]
        return ["env", *named, sys.executable, "-m", "app.cli", *words]

    @contextmanager
    def served(self, how: str = "serve") -> Iterator[None]:
        """Serve the web with its worker until the block ends; ``how`` is serve or demo."""
        command = self._command((how, "--port", str(self.port)))
        server = subprocess.Popen(command, cwd=ROOT)
        try:
            self._wait(server)
            yield
        finally:
            server.send_signal(signal.SIGINT)  # as Ctrl-C does; its worker ends before it
            server.wait(STOP_WITHIN)

    def _wait(self, server: "subprocess.Popen[bytes]") -> None:
        until = time.monotonic() + START_WITHIN
        while not self._answers():
            if server.poll() is not None or time.monotonic() > until:
                raise RuntimeError("the server did not start")
            time.sleep(0.1)

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.base}/healthz", timeout=5) as answer:
                return bool(answer.status == 200)
        except urllib.error.URLError:
            return False


def install(data_dir: Path, **settings: str) -> Installation:
    """Choose a free port for an installation; ``settings`` are GOLDSPAN_ names and values."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return Installation(data_dir, port, settings)
