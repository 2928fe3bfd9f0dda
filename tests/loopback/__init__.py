"""A model server on this machine that speaks chat completions: real HTTP, scripted answers and faults."""

from tests.loopback.server import ModelServer
from tests.loopback.turns import Turn

__all__ = ["ModelServer", "Turn"]
