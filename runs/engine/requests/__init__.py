"""The requests sent to a model: one builder per purpose, each built once, from rows.

Whatever came from tools, records or people is data inside JSON; instructions are ours and the designer's.
A model behind an endpoint sees projected words and facts only; `task` stays in this process.
"""

from runs.engine.requests.common import size_of
from runs.engine.requests.inputs import input_request
from runs.engine.requests.prose import fallback_text, prose_request
from runs.engine.requests.rewriting import rewrite_request
from runs.engine.requests.routing import route_request
from runs.engine.requests.step import step_request

__all__ = [
    "fallback_text",
    "input_request",
    "prose_request",
    "rewrite_request",
    "route_request",
    "size_of",
    "step_request",
]
