"""A call that a model wrote out as text: small models do that where they are told to call a function.

Only a reply that is nothing else counts: one JSON object with a name that was offered and its arguments. What
it asks for goes the way of every call; the gate knows no difference.
"""

from collections.abc import Collection

from runs.llm import exact

_KEYS = {"name", "arguments"}


def call_in_text(text: str, names: Collection[str]) -> tuple[str, str] | None:
    """Return (name, arguments as JSON) when `text` is one call of a function in `names`, else None."""
    stripped = text.strip()
    if not (stripped.startswith("{") and stripped.endswith("}")):
        return None
    try:
        said = exact.loads(stripped)
    except ValueError:
        return None
    if not isinstance(said, dict) or set(said) != _KEYS:
        return None
    name, arguments = said["name"], said["arguments"]
    if not isinstance(name, str) or name not in names or not isinstance(arguments, dict):
        return None
    return name, exact.dumps(arguments)
