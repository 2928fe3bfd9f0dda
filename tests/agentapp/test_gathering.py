"""The writes of a transaction, sent together: what is read and what is refused stays as if sent singly."""

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from accounts.models import Workspace
from agentapp.kernel.gathering import ask, gathering
from agentapp.kernel.rows import change, insert

pytestmark = pytest.mark.django_db


class Lost(Exception):
    """A row was not as expected."""


@pytest.fixture
def here() -> Workspace:
    return Workspace.objects.create(slug="here", name="Here")


def _names() -> set[str]:
    return set(Workspace.objects.values_list("name", flat=True))


def test_writes_of_several_kinds_are_one_statement(here: Workspace) -> None:
    there = Workspace.objects.create(slug="there", name="There")
    with (
        CaptureQueriesContext(
            connection,
        ) as sent,
        gathering(),
    ):
        change(here, {"name": "One"})
        change(there, {"name": "Two"})
    assert len(sent) == 1
    assert _names() == {"One", "Two"}


def test_what_is_asked_in_between_sees_what_was_written(here: Workspace) -> None:
    with gathering():
        change(here, {"name": "Changed"})
        insert([Workspace(slug="new", name="New")])
        assert _names() == {"Changed", "New"}
        change(here, {"name": "Again"})
    assert _names() == {"Again", "New"}


def test_a_select_can_be_sent_along(here: Workspace) -> None:
    with CaptureQueriesContext(connection) as sent, gathering():
        change(here, {"name": "Changed"})
        assert ask("SELECT number, 'x' FROM generate_series(1, %s) AS number", [2]) == [(1, "x"), (2, "x")]
    assert len(sent) == 1
    assert _names() == {"Changed"}


def test_changes_of_one_row_become_one(here: Workspace) -> None:
    with CaptureQueriesContext(connection) as sent, gathering():
        change(here, {"name": "First", "default_language": "fr"}, where={"name": "Here"})
        change(here, {"name": "Second"}, where={"name": "First"}, lost=Lost())
    here.refresh_from_db()
    assert (here.name, here.default_language, len(sent)) == ("Second", "fr", 1)


def test_a_change_that_builds_on_what_is_not_known_waits_for_its_turn(here: Workspace) -> None:
    with CaptureQueriesContext(connection) as sent, gathering():
        change(here, {"name": "First"})
        change(here, {"name": "Second"}, where={"default_language": "en"}, lost=Lost())
    here.refresh_from_db()
    assert (here.name, len(sent)) == ("Second", 2)


@pytest.mark.parametrize("first", [{"name": "Other"}, {"slug": "other"}])
def test_a_change_that_finds_its_row_otherwise_raises_and_nothing_stays(
    here: Workspace, first: dict[str, str]
) -> None:
    def writes() -> None:
        with transaction.atomic(), gathering():
            insert([Workspace(slug="new", name="New")])
            change(here, first)
            change(here, {"name": "Second"}, where={"name": "Nowhere"}, lost=Lost())

    with pytest.raises(Lost):
        writes()
    assert _names() == {"Here"}


def test_a_new_row_may_take_the_place_that_a_changed_one_leaves(here: Workspace) -> None:
    with gathering():
        change(here, {"slug": "elsewhere"})
        insert([Workspace(slug="here", name="New")])
    assert _names() == {"Here", "New"}


def test_the_reply_is_the_row_as_it_is_then_and_may_refuse(here: Workspace) -> None:
    said: list[object] = []

    def refuse(value: object) -> None:
        raise Lost(value)

    with gathering():
        change(here, {"name": "Changed"}, asks="slug", reply=said.append)
        assert said == []
    assert said == ["here"]
    with pytest.raises(Lost), transaction.atomic(), gathering():
        change(here, {"name": "Never"}, asks="slug", reply=refuse)
    assert _names() == {"Changed"}


def test_after_an_error_inside_nothing_is_sent(here: Workspace) -> None:
    def fails() -> None:
        with transaction.atomic(), gathering():
            change(here, {"name": "Never"})
            raise Lost

    with CaptureQueriesContext(connection) as sent, pytest.raises(Lost):
        fails()
    assert not any("Never" in each["sql"] for each in sent)
    assert _names() == {"Here"}


def test_the_database_refuses_as_it_does_otherwise(here: Workspace) -> None:
    with pytest.raises(IntegrityError), transaction.atomic(), gathering():
        insert([Workspace(slug="here", name="Twice")])
    assert _names() == {"Here"}


def test_outside_each_write_is_sent_at_once(here: Workspace) -> None:
    with pytest.raises(Lost):
        change(here, {"name": "Second"}, where={"name": "Nowhere"}, lost=Lost())
    change(here, {"name": "Second"})
    assert _names() == {"Second"}
