"""Everything a run really knows, as one text: what a model's words are held against."""

from agentapp.kernel.canonical import dumps
from runs.view import RunView


def known_text(view: RunView) -> str:
    """Return the person's words, the inputs and facts, and the names of this run's tools and steps."""
    shown = (candidate.key for search in view.searches for candidate in search.candidates.all())
    keys = [*view.bindings, *shown]
    names = [*keys, *(key.replace(".", "_") for key in keys)]
    names += [step.key for step in view.procedure]
    labels = [row.label for row in view.inputs.values()]
    return "\n".join([*view.words, *labels, *names, dumps(view.scope())])
