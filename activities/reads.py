"""Which facts an activity's own texts read: found by their names, whatever language they are written in."""

import re
from collections.abc import Iterable, Iterator

from activities.models import Activity
from activities.models.fields import Texts

#: `facts.found` of a condition, a path or a template, and `facts["found"]`.
_FACT = re.compile(r"\bfacts\s*(?:\.\s*|\[\s*['\"])(\w+)")


def facts_read(texts: Iterable[str]) -> frozenset[str]:
    """Return the keys of the facts that the texts name."""
    return frozenset(_FACT.findall("\n".join(texts)))


def texts_of(activity: Activity) -> Iterator[str]:
    """Yield every condition, path and template of an activity."""
    yield from _sources(activity.template)
    for step in activity.steps.all():
        yield from (step.passes_when, step.stops_when, *_sources(step.stop_message))
    for row in activity.outputs.all():
        yield from (row.fact_path, *_sources(row.fallback))
    for outcome in activity.routing.all():
        yield outcome.condition
        yield from (item.path for item in outcome.mapping.all())


def _sources(texts: Texts) -> Iterator[str]:
    return (source for source in texts.values() if source)
