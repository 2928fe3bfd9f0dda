"""A query whose statement is made once asks what it did when it was made anew."""

from threading import Thread
from uuid import UUID

import pytest
from django.contrib.auth.models import Group
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from accounts.models import Membership, User, Workspace
from agentapp.kernel.compiled import Compiled
from agentapp.kernel.errors import Misconfigured
from agentapp.kernel.ids import uuid7


def _person(name: str) -> User:
    return User.objects.create(email=f"{name}@example.com", full_name=name)


@pytest.mark.django_db
def test_each_asking_has_its_own_keys_and_sees_the_rows_as_they_are() -> None:
    by_key = Compiled(lambda user: User.objects.filter(pk=user))
    one, two = _person("one"), _person("two")
    assert by_key.first(one.pk) == one
    assert by_key.first(two.pk) == two
    assert by_key.first(uuid7()) is None
    with pytest.raises(User.DoesNotExist):
        by_key.get(uuid7())
    User.objects.filter(pk=one.pk).update(full_name="Other")
    changed = by_key.first(one.pk)
    assert changed is not None
    assert changed.full_name == "Other"


@pytest.mark.django_db
def test_what_is_joined_prefetched_or_flat_comes_as_from_the_orm() -> None:
    user, workspace = _person("one"), Workspace.objects.create(slug="here", name="Here")
    Membership.objects.create(user=user, workspace=workspace)
    user.groups.add(Group.objects.create(name="some"))
    joined = Compiled(lambda key: Membership.objects.select_related("workspace").filter(user=key))
    fetched = Compiled(lambda key: User.objects.prefetch_related("groups").filter(pk=key))
    flat = Compiled(lambda one, two: User.objects.filter(pk__in=(one, two)).values_list("pk", flat=True), 2)
    with CaptureQueriesContext(connection) as sent:
        assert [row.workspace.name for row in joined.rows(user.pk)] == ["Here"]
    assert len(sent) == 1
    for _again in range(2):
        assert [group.name for row in fetched.rows(user.pk) for group in row.groups.all()] == ["some"]
    assert flat.rows(uuid7(), user.pk) == [user.pk]
    assert flat.found(uuid7(), user.pk)
    assert not flat.found(uuid7(), uuid7())


@pytest.mark.django_db(transaction=True)
def test_a_thread_asks_on_its_own_connection() -> None:
    locked = Compiled(lambda user: User.objects.select_for_update().filter(pk=user))
    user = _person("one")
    found: list[UUID] = []

    def ask() -> None:
        try:
            with transaction.atomic():
                found.extend(row.pk for row in locked.rows(user.pk))
        finally:
            connection.close()

    with transaction.atomic():
        assert locked.rows(user.pk) == [user]
    thread = Thread(target=ask)
    thread.start()
    thread.join(30)
    assert found == [user.pk]


@pytest.mark.django_db
def test_a_query_that_cannot_be_filled_is_refused() -> None:
    with pytest.raises(Misconfigured, match="1 keys, not 2"):
        Compiled(lambda user: User.objects.filter(pk=user)).rows(uuid7(), uuid7())
    with pytest.raises(Misconfigured, match="does not reach"):
        Compiled(lambda user: User.objects.filter(email=f"{user}@example.com")).rows(uuid7())
