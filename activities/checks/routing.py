"""Handing over to another activity: to one that is there, with inputs it has, and not in a circle."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from activities import conditions, paths
from activities.checks.outputs import path_problem
from activities.checks.problem import Look, Problem
from activities.conditions import BadCondition


def conditions_fit(look: Look) -> Iterator[Problem]:
    """The conditions of the outcomes can be read, and fit."""
    for outcome in look.activity.routing.all():
        place = look.place(outcome.name)
        try:
            found = conditions.misfits(outcome.condition, look.scope)
        except BadCondition as error:
            found = [str(error)]
        yield from (Problem(place, message) for message in found)


def mapping(look: Look) -> Iterator[Problem]:
    """What is handed over is there."""
    outputs = {row.name for row in look.activity.outputs.all()}
    for outcome in look.activity.routing.all():
        for item in outcome.mapping.all():
            message = _path(look, item.path, outputs)
            if message:
                yield Problem(look.place(outcome.name, item.input_name), message)


def targets(looks: list[Look]) -> Iterator[Problem]:
    """Every outcome hands over to an activity of the revision, and to inputs that it has."""
    by_key = {look.key: look for look in looks}
    for look in looks:
        for outcome in look.activity.routing.all():
            target = by_key.get(outcome.next_activity_key)
            if target is None:
                sentence = _("It hands over to an activity that this revision does not have. Choose another.")
                yield Problem(look.place(outcome.name), sentence)
                continue
            for item in outcome.mapping.all():
                if item.input_name not in target.inputs:
                    sentence = _("The activity it hands over to has no such input. Remove it.")
                    yield Problem(look.place(outcome.name, item.input_name), sentence)


def loops(looks: list[Look]) -> Iterator[Problem]:
    """No activity can hand over to itself, by whatever way round. Each circle is told once."""
    following = {
        look.key: [outcome.next_activity_key for outcome in look.activity.routing.all()] for look in looks
    }
    done: set[str] = set()
    for look in looks:
        circle = _circle(look.key, following, done)
        if circle:
            sentence = _("It hands over in a circle: %(circle)s. Take one of these outcomes away.")
            yield Problem(circle[0], sentence % {"circle": " → ".join([*circle, circle[0]])})


def handed_over_to(looks: list[Look]) -> Iterator[Problem]:
    """What nobody may ask for is handed over to by something."""
    reached = {outcome.next_activity_key for look in looks for outcome in look.activity.routing.all()}
    for look in looks:
        if not look.activity.entry and look.key not in reached:
            sentence = _("Nobody may ask for it and nothing hands over to it: it is never used.")
            yield Problem(look.key, sentence)


def _path(look: Look, path: str, outputs: set[str]) -> str:
    if not paths.is_path(path):
        return _("Choose the value that is handed over.")
    root, _dot, rest = path.partition(".")
    if root == "output":
        name = rest.partition(".")[0].partition("[")[0]
        return "" if name in outputs else _("There is no output “%(name)s”.") % {"name": name}
    return path_problem(look, path)


def _circle(start: str, following: dict[str, list[str]], done: set[str]) -> list[str]:
    """Return the first circle met from `start` on, empty for none. Without recursion: chains may be long."""
    way: list[str] = []
    left = [(start, False)]
    while left:
        key, leaving = left.pop()
        if leaving:
            way.pop()
            done.add(key)
        elif key in way:
            circle = way[way.index(key) :]
            done.update(way)
            return circle
        elif key not in done and key in following:
            way.append(key)
            left.append((key, True))
            left += [(each, False) for each in following[key]]
    return []
