"""A scripted model for tests of the engine, the edges and the screens.

    pytest_plugins = ["tests.runs.llm.fixtures"]      # or import the fixture in a conftest

    def test_it_asks_once(scripted_model):
        scripted_model.add(call(CHOOSE_ACTIVITY, {...}, purpose=Purpose.ROUTE))
        ...

The script is checked when the test ends: a line left over or missing fails it.
"""

from collections.abc import Iterator

import pytest

from runs.llm import use_model
from runs.llm.scripted import ScriptedModel


@pytest.fixture
def scripted_model() -> Iterator[ScriptedModel]:
    """The model of this process for one test."""
    model = ScriptedModel()
    with use_model(model):
        yield model
    model.finish()
