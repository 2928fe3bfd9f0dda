"""Which model an installation uses."""

import pytest

from runs.llm import get_model, use_model
from runs.llm.fallback import FallbackModel
from runs.llm.openai import OpenAIModel
from runs.llm.scripted import ScriptedModel


@pytest.fixture
def configured(settings):
    def configure(**values):
        names = ("OPENAI_MODEL", "OPENAI_API_KEY", "OPENAI_BASE_URL", "MODEL_FALLBACK")
        for name, value in {**dict.fromkeys(names), "MODEL_FALLBACK": False, **values}.items():
            setattr(settings, name, value)
        return get_model()

    return configure


def test_tests_have_no_endpoint(settings):
    assert not settings.OPENAI_API_KEY
    assert not settings.OPENAI_BASE_URL


def test_without_settings_the_interpreter_answers(configured):
    assert configured().name == "built-in interpreter"


@pytest.mark.parametrize("which", [{"OPENAI_API_KEY": "k"}, {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}])
def test_a_key_or_an_address_is_an_endpoint(configured, which):
    model = configured(OPENAI_MODEL="m-1", **which)

    assert isinstance(model, OpenAIModel)
    assert model.name == "m-1"
    assert get_model() is model


def test_the_operator_may_allow_another_to_answer(configured):
    model = configured(OPENAI_MODEL="m-1", OPENAI_API_KEY="k", MODEL_FALLBACK=True)

    assert isinstance(model, FallbackModel)
    assert model.name == "m-1"


def test_a_model_can_be_put_in_its_place(configured):
    with use_model(ScriptedModel()) as model:
        assert get_model() is model
    assert configured().name == "built-in interpreter"
