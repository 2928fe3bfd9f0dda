"""Somebody may use what is published."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from accounts import access
from activities.checks.problem import Look, Problem


def somebody_may_use_it(looks: list[Look]) -> Iterator[Problem]:
    """Every activity that may be asked for has somebody who may."""
    asked = [look for look in looks if look.activity.entry]
    if not asked or access.who_holds("activities.use_agent", asked[0].activity.identity.agent).exists():
        return
    identities = [look.activity.identity for look in asked]
    given = {grant.object_key for grant in access.grants_on(identities) if grant.codename == "use_activity"}
    for look in asked:
        identity = look.activity.identity
        if str(identity.pk) in given and access.who_holds("activities.use_activity", identity).exists():
            continue
        yield Problem(look.key, _("Nobody may use it. Give a person or a group the right to."))
