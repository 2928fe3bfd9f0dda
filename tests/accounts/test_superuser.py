"""`createsuperuser` leaves a trace like every other way of making a person."""

import pytest
from django.core.management import call_command

from accounts.models import ActorKind, AuditEvent, User

pytestmark = pytest.mark.django_db


def test_the_first_superuser_is_recorded(monkeypatch):
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", "a long and random passphrase")
    call_command(
        "createsuperuser", email="root@example.com", full_name="Root", interactive=False, verbosity=0
    )
    user = User.objects.get(email="root@example.com")
    event = AuditEvent.objects.get(stream=user.pk)
    assert (event.type, event.actor_kind) == ("user.created", ActorKind.OPERATOR)
    assert event.data == {"email": "root@example.com", "is_staff": True, "is_superuser": True}
