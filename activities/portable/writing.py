"""Writing a blueprint as YAML. The layout is ours, so that it is the same with every library and for ever."""

import json
import re
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from activities.blueprint import AgentBlueprint

WIDTH = 100
_PLAIN = re.compile(r"[A-Za-z_À-ÖØ-öø-ÿ](?:[^\n\r\t]*[^\s:])?")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")
_SPACES = str.maketrans({"\u00a0": " ", "\u202f": " "})
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
#: Words that some reader takes for something else than a text.
_TAKEN = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}


def write(blueprint: AgentBlueprint) -> str:
    """Return the text of a file. What has its default value is left out."""
    said = blueprint.model_dump(mode="json", exclude_defaults=True)
    return "\n".join(_mapping({"format": blueprint.format, **said}, "")) + "\n"


def _mapping(value: Mapping[str, Any], indent: str) -> Iterator[str]:
    for key, item in value.items():
        yield from _entry(f"{indent}{_key(key)}:", item, f"{indent}  ")


def _entry(head: str, value: Any, indent: str) -> Iterator[str]:
    """Write one value after `head`, on its line where it fits there, else below it at `indent`."""
    if isinstance(value, dict) and value:
        yield head
        yield from _mapping(value, indent)
    elif isinstance(value, list) and value:
        yield head
        for item in value:
            yield from _item(item, indent)
    elif isinstance(value, str):
        yield from _text(head, value, indent)
    else:
        yield f"{head} {_bare(value)}"


def _bare(value: Any) -> str:
    """Write a number, true, false, null, or an empty list or object."""
    text = json.dumps(value)
    return text.replace("e", ".0e") if isinstance(value, float) and "." not in text else text


def _item(value: Any, indent: str) -> Iterator[str]:
    """Write one item of a list; an object begins on the line of its dash."""
    if not (isinstance(value, dict) and value):
        yield from _entry(f"{indent}-", value, f"{indent}  ")
        return
    lines = _mapping(value, f"{indent}  ")
    first = next(lines)
    yield f"{indent}- {first.lstrip()}"
    yield from lines


def _text(head: str, value: str, indent: str) -> Iterator[str]:
    if _is_block(value):
        yield f"{head} {'|' if value.endswith(chr(10)) else '|-'}"
        yield from (f"{indent}{line}" if line else "" for line in value.removesuffix("\n").split("\n"))
    elif _is_foldable(value):
        yield f"{head} >-"
        yield from (f"{indent}{line}" for line in _folded(value))
    else:
        yield f"{head} {_scalar(value)}"


def _scalar(value: str) -> str:
    plain = _PLAIN.fullmatch(value) and ": " not in value and " #" not in value
    if plain and value.lower() not in _TAKEN and _is_readable(value):
        return value
    return _quoted(value)


def _key(key: str) -> str:
    return key if _NAME.fullmatch(key) and key.lower() not in _TAKEN else _quoted(key)


def _quoted(value: str) -> str:
    return '"' + "".join(map(_escaped, value)) + '"'


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    return character if _is_readable(character) else f"\\U{ord(character):08X}"


def _is_readable(text: str) -> bool:
    """Nothing in it is invisible but spaces, the French ones included."""
    return text.translate(_SPACES).isprintable()


def _is_block(value: str) -> bool:
    """Several lines that a block keeps as they are: nothing at their ends, one line end at most."""
    lines = value.removesuffix("\n").split("\n")
    if "\n" not in value or not lines[0] or not lines[-1] or lines[0][0].isspace():
        return False
    return all(_is_readable(line) and line == line.rstrip() for line in lines)


def _is_foldable(value: str) -> bool:
    """One long line whose every space is a single one between words."""
    single = "  " not in value and value == value.strip()
    return len(value) > WIDTH and single and _is_readable(value)


def _folded(value: str) -> list[str]:
    return textwrap.wrap(value, WIDTH, break_long_words=False, break_on_hyphens=False)
