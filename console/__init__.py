"""aitia: where a dead distributed GPU training job began to die, with a proof down to the raw log line.

The command line is thin; what it does can be done from Python:

    from aitia.case import open_case
    case = open_case(["incident/"])
    print(case.diagnosis.attempts[0].headline)
"""

from typing import Any

__all__ = ["__version__"]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("aitia")
    raise AttributeError(name)
