"""A mail to those who decide, once, before an escalation is overdue."""

import logging
from smtplib import SMTPException
from typing import Any

from django.conf import settings
from django.core.mail import send_mail
from django.db import transaction
from django.urls import reverse
from django.utils import formats, timezone, translation
from django.utils.translation import gettext as _

from accounts.models import User
from activities.models.fields import in_language
from runs.deciders import complete, deciders_of, holder
from runs.journal import Journal, write_events
from runs.models import Escalation
from runs.states import EscalationState

logger = logging.getLogger(__name__)
_BATCH = 50


def remind_deciders() -> None:
    """Send what is due. An escalation is marked first, so that no two workers remind of it."""
    due = Escalation.objects.filter(
        state=EscalationState.OPEN, reminded_at=None, remind_at__lte=timezone.now()
    )
    for escalation in complete(due)[:_BATCH]:
        people = _whom(escalation)
        if _mark(escalation, people):
            for person in people:
                _send(escalation, person)


def _whom(escalation: Escalation) -> list[User]:
    """Return who is reminded: who has taken it, else everybody who may decide."""
    held_by = holder(escalation)
    return [held_by] if held_by else list(deciders_of(escalation)[:100])


def _mark(escalation: Escalation, people: list[User]) -> bool:
    journal = Journal()
    with transaction.atomic():
        open_now = Escalation.objects.filter(pk=escalation.pk, state=EscalationState.OPEN, reminded_at=None)
        if not open_now.update(reminded_at=timezone.now()):
            return False
        named = [str(person.pk) for person in people]
        journal.event("escalation.reminded", {"escalation": str(escalation.pk), "people": named})
        write_events(escalation.run, journal)
    return True


def _send(escalation: Escalation, person: User) -> None:
    """Send one mail. A mail server that is down keeps nobody from deciding: it is logged."""
    with translation.override(person.language), timezone.override(person.time_zone):
        subject, text = _written(escalation, person)
    try:
        send_mail(subject, text, settings.DEFAULT_FROM_EMAIL, [person.email])
    except (SMTPException, OSError):
        logger.exception("The reminder of escalation %s did not reach %s", escalation.pk, person.pk)


def _written(escalation: Escalation, person: User) -> tuple[str, str]:
    about: dict[str, Any] = {
        "site": settings.SITE_NAME,
        "person": escalation.run.user.get_full_name(),
        "step": in_language(escalation.step.step.name, person.language),
        "due": formats.date_format(timezone.localtime(escalation.due_at), "DATETIME_FORMAT"),
        "gap": escalation.gap,
        "where": _address(escalation),
    }
    subject = _("%(site)s: a decision is waiting for you until %(due)s") % about
    text = (
        _(
            "A request of %(person)s cannot go on by itself.\n\nStep: %(step)s\nWhat keeps it open: %(gap)s\n"
            "To be decided until: %(due)s\n\nOpen it in your inbox: %(where)s\n"
        )
        % about
    )
    return " ".join(subject.split()), text


def _address(escalation: Escalation) -> str:
    path = reverse("chat:escalation", args=[escalation.pk])
    return f"{settings.CSRF_TRUSTED_ORIGINS[0]}{path}" if settings.CSRF_TRUSTED_ORIGINS else path
