"""The models a run may ask, and which one this installation uses."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from django.conf import settings

from runs.llm.base import Model

_override: list[Model] = []


def get_model() -> Model:
    """The model of this process: the endpoint of the OPENAI_* settings, or the built-in interpreter.

    With MODEL_FALLBACK the interpreter also answers while the endpoint does not.
    """
    return (
        _override[-1]
        if _override
        else _model_from(
            settings.OPENAI_MODEL, settings.OPENAI_API_KEY, settings.OPENAI_BASE_URL, settings.MODEL_FALLBACK
        )
    )


@contextmanager
def use_model(model: Model) -> Iterator[Model]:
    """Let :func:`get_model` answer `model` in this process while the block runs: for tests and benchmarks."""
    _override.append(model)
    try:
        yield model
    finally:
        _override.remove(model)


@cache
def _model_from(name: str | None, key: str | None, address: str | None, fallback: bool) -> Model:
    # Imported when chosen: the SDK and the interpreter's vectors are not loaded for nothing.
    if not (key or address):
        from runs.llm.builtin import BuiltinModel

        return BuiltinModel()
    from runs.llm.openai import OpenAIModel

    endpoint = OpenAIModel(model=name or "", api_key=key, base_url=address)
    if not fallback:
        return endpoint
    from runs.llm.builtin import BuiltinModel
    from runs.llm.fallback import FallbackModel

    return FallbackModel(endpoint, BuiltinModel())
