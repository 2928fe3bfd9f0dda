"""Blueprints of the test store, as short as a test wants them."""

from typing import Any

from activities.blueprint import AgentBlueprint

Json = dict[str, Any]
#: tool -> its parameters, all left to the agent
AGENT_PARAMS = {
    "find_items": ("words",),
    "measure": ("number", "amount", "text", "parts"),
    "reserve": ("item", "quantity"),
    "write_off": ("item", "quantity"),
    "order": ("item", "amount", "priority", "note"),
    "notify": ("item", "quantity"),
}


def use(name: str, *, confirm: bool = False, **params: Any) -> Json:
    """A tool of the store; `params` replace who decides a parameter: a dict, or None to leave it out."""
    chosen: Json = {param: {"source": "agent"} for param in AGENT_PARAMS[name]}
    more: Json = {key: params.pop(key) for key in ("raise_risk", "disclose_raw") if key in params}
    chosen.update(params)
    kept = {param: value for param, value in chosen.items() if value is not None}
    return {"tool": f"store.{name}", "params": kept, "confirm": confirm, **more}


def fixed(value: Any) -> Json:
    return {"source": "fixed", "fixed": value}


def from_input(path: str) -> Json:
    return {"source": "input", "input": path}


def step(*tools: str, key: str = "act", passes_when: str = "", **more: Any) -> Json:
    """A step that must act; it passes when the first tool gave a fact."""
    return {
        "key": key,
        "name": {"en": key.title()},
        "goal": f"Do {key}.",
        "tools": [f"store.{name}" for name in tools],
        "passes_when": passes_when or (f"has(facts.{tools[0]})" if tools else "true"),
        **more,
    }


def activity(*tools: Json, steps: list[Json] | None = None, key: str = "handle", **more: Any) -> Json:
    """An activity with these tools; without `steps`, one step that uses them all."""
    names = [item["tool"].removeprefix("store.") for item in tools]
    return {
        "key": key,
        "name": {"en": key.title()},
        "summary": {"en": f"Does {key} with the store."},
        "aliases": {"en": [key]},
        "tools": list(tools),
        "steps": steps or [step(*names)],
        "template": {"en": "All done."},
        **more,
    }


def prose(name: str = "intro", **more: Any) -> Json:
    return {
        "name": name,
        "label": {"en": name},
        "source": "prose",
        "fallback": {"en": "As designed."},
        **more,
    }


def text_input(name: str, **more: Any) -> Json:
    return {"name": name, "type": "text", "label": {"en": name}, **more}


def agent(*activities: Json, key: str = "store") -> AgentBlueprint:
    parts = {"key": key, "name": {"en": "Store"}, "activities": list(activities)}
    return AgentBlueprint.model_validate(parts)
