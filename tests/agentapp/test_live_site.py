"""The tests' own ground: a running site, its database and its processes."""

import http.client
import socket

import pytest
from django.contrib.auth import get_user_model
from django.db import connection

from tests.live import Site
from tests.network import NetworkForbidden

pytestmark = pytest.mark.processes


def test_orm_and_site_share_one_database(live: Site) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_database()")
        assert cursor.fetchone() == (live.database,)
    assert get_user_model()._default_manager.count() >= 0


def test_site_answers(live: Site) -> None:
    client = http.client.HTTPConnection(live.url.removeprefix("http://"), timeout=10)
    client.request("GET", "/healthz")
    assert client.getresponse().status == 200
    client.close()


@pytest.mark.parametrize("address", [("198.51.100.7", 80), ("example.com", 443)])
def test_no_test_reaches_another_machine(address: tuple[str, int]) -> None:
    with pytest.raises(NetworkForbidden):
        socket.create_connection(address, timeout=1)
