"""The written form of test prompts: typed and closed, for files and programs. Things are named by key."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from activities.blueprint import Key, Part, each_once

Outcome = Literal[
    "done",
    "needs_input",
    "nothing_to_do",
    "refused",
    "declined",
    "escalated",
    "failed",
    "stopped_by_guardrail",
]


class CallPart(Part):
    """A tool call that must be made, with at least these final arguments.

    With `error` it must be refused or fail with that code.
    """

    tool: str
    arguments: dict[str, Any] = {}
    error: str = ""


class PromptPart(Part):
    """One request and what is expected of it.

    `activity` is where it must lead; `declined` and `unclear` say that it must lead to none. `kept_with`
    is the activity it is kept with, where that is another one. `as_user` is an e-mail address.
    `asks` are the inputs that must be asked for; `inputs` values that must have been read.
    """

    key: str = Key
    language: Literal["en", "fr"]
    text: str = Field(min_length=1, max_length=8_000)
    activity: str = ""
    route: Literal["activity", "unclear", "declined"] = "activity"
    outcome: Outcome = "done"
    kept_with: str = ""
    as_user: str = ""
    asks: list[str] = []
    inputs: dict[str, Any] = {}
    calls: list[CallPart] = []
    note: str = ""

    @model_validator(mode="after")
    def _fits_together(self) -> "PromptPart":
        if (self.route == "activity") != bool(self.activity):
            raise ValueError("it names an activity, or a route without one")
        if self.route == "declined" and self.outcome != "declined":
            raise ValueError("a declined request has the outcome 'declined'")
        if self.route == "unclear" and self.outcome != "needs_input":
            raise ValueError("an unclear request has the outcome 'needs_input'")
        if self.asks and self.outcome != "needs_input":
            raise ValueError("a request that is asked back has the outcome 'needs_input'")
        return self


class PromptFile(Part):
    """All test prompts of one agent."""

    agent: str = Key
    prompts: Annotated[Sequence[PromptPart], each_once("key")]
