"""What an endpoint understands of the protocol, and what to send it instead of what it refuses.

A call begins with the profile of its address. When the endpoint answers that it does not accept something,
the profile learns that, the call is sent again in the other form, and the process remembers.
"""

import re
from dataclasses import dataclass, replace
from typing import Literal
from urllib.parse import urlsplit

#: The statuses by which endpoints refuse a form of the request.
FORM_REFUSED = frozenset({400, 422, 501})


@dataclass(frozen=True)
class Profile:
    """One dialect. The defaults work unchanged with vLLM, llama.cpp, Ollama and most others."""

    #: Ask for schemas to be followed strictly; `loose_functions` are the ones whose schema was refused.
    strict: bool = True
    loose_functions: frozenset[str] = frozenset()
    output_limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    usage_in_stream: bool = True
    temperature: bool = True
    #: The word for "call one of these": Mistral's is "any". "auto" where none is understood.
    required: Literal["required", "any", "auto"] = "required"
    #: What stands beside calls that came without text.
    empty_content: Literal["", "null", "omit"] = ""
    #: Whether an assistant message may hold text and calls.
    text_beside_calls: bool = True
    #: Whether a history with calls may be sent without any tools.
    history_without_tools: bool = True


DEFAULT = Profile()
_BY_HOST = {
    "api.openai.com": Profile(output_limit="max_completion_tokens"),
    "api.mistral.ai": Profile(strict=False, required="any", text_beside_calls=False),
}


def profile_for(base_url: str) -> Profile:
    """The profile to begin with at this address."""
    return _BY_HOST.get(urlsplit(base_url).hostname or "", DEFAULT)


def adapted(profile: Profile, refusal: str) -> Profile | None:
    """The next profile to try after an answer with these words; None when they name nothing we can change."""
    words = refusal.lower()
    if _ABOUT_THE_TEXT.search(words):
        return None
    for concerns, change in _CHANGES:
        if concerns.search(words):
            changed = change(profile, refusal)
            if changed != profile:
                return changed
    return None


def _other_limit(profile: Profile, refusal: str) -> Profile:
    unsupported = re.search(r"max_(completion_)?tokens", refusal)
    if unsupported is None or unsupported.group(0) != profile.output_limit:
        return profile
    other: Literal["max_tokens", "max_completion_tokens"] = (
        "max_tokens" if profile.output_limit == "max_completion_tokens" else "max_completion_tokens"
    )
    return replace(profile, output_limit=other)


def _without_usage(profile: Profile, refusal: str) -> Profile:
    return replace(profile, usage_in_stream=False)


def _without_temperature(profile: Profile, refusal: str) -> Profile:
    return replace(profile, temperature=False)


def _other_required(profile: Profile, refusal: str) -> Profile:
    return replace(profile, required="any" if profile.required == "required" else "auto")


def _looser(profile: Profile, refusal: str) -> Profile:
    named = re.search(r"function '([^']{1,64})'", refusal)
    if named and named.group(1) not in profile.loose_functions and profile.strict:
        return replace(profile, loose_functions=profile.loose_functions | {named.group(1)})
    return replace(profile, strict=False)


def _only_calls(profile: Profile, refusal: str) -> Profile:
    return replace(profile, text_beside_calls=False)


def _other_empty_content(profile: Profile, refusal: str) -> Profile:
    following: dict[str, Literal["", "null", "omit"]] = {"": "null", "null": "omit", "omit": "omit"}
    return replace(profile, empty_content=following[profile.empty_content])


def _tools_with_history(profile: Profile, refusal: str) -> Profile:
    return replace(profile, history_without_tools=False)


#: What was said is refused, not how.
_ABOUT_THE_TEXT = re.compile(r"content_filter|content management|context.{0,20}(length|window)")

#: Words of a refusal, and what to change. The first that changes something is tried; order matters.
_CHANGES = (
    (re.compile(r"max_(completion_)?tokens"), _other_limit),
    (re.compile(r"stream_options|include_usage"), _without_usage),
    (re.compile(r"temperature"), _without_temperature),
    (re.compile(r"tool_choice"), _other_required),
    (re.compile(r"strict|schema|additionalproperties|is not permitted"), _looser),
    (re.compile(r"content.{0,80}(and|both|but not).{0,40}tool_?calls|not both"), _only_calls),
    (
        re.compile(r"content.{0,60}(null|none|string|empty|required|missing|expected|must)"),
        _other_empty_content,
    ),
    (re.compile(r"(null|empty|missing|expected|invalid).{0,60}content"), _other_empty_content),
    (re.compile(r"\btools\b"), _tools_with_history),
)
