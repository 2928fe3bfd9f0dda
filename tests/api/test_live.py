"""The API over a real server, as programs and browsers meet it."""

import http.client
import json
from urllib.parse import urlsplit

import pytest
from django.db import transaction

from accounts import actions as accounts
from accounts.models import User
from tests.api.people import ALL

pytestmark = [pytest.mark.processes]


@pytest.fixture
def secret(live):
    with transaction.atomic():
        return accounts.token_create(User.objects.get(email="alice@example.com"), "live", ALL)[1]


def send(live, method, path, body=None, **headers):
    """One request over its own connection; returns (status, headers, body)."""
    connection = http.client.HTTPConnection(urlsplit(live.url).netloc, timeout=30)
    try:
        chunked = "Transfer-Encoding" in headers
        connection.request(method, f"/api/v1{path}", body, headers, encode_chunked=chunked)
        response = connection.getresponse()
        return response.status, response.headers, response.read()
    finally:
        connection.close()


def test_head_has_no_body(live, secret):
    status, headers, body = send(live, "HEAD", "/me", Authorization=f"Bearer {secret}")
    assert (status, body) == (200, b"")
    assert int(headers["Content-Length"]) > 0


def test_a_body_without_a_length_is_bounded_too(live, secret):
    pieces = (b'"' + b"a" * 65_536 for _piece in range(40))
    status, _headers, body = send(
        live,
        "POST",
        "/conversations/01a22e4e-e103-757e-a7bb-f9cfbcf64c0d/messages",
        pieces,
        Authorization=f"Bearer {secret}",
        **{"Content-Type": "application/json", "Transfer-Encoding": "chunked"},
    )
    assert status == 413, body
    assert json.loads(body)["error"]["code"] == "body_too_large"


@pytest.mark.parametrize("path", ["/conversations", "/nowhere"])
def test_a_body_larger_than_anything_here_is_not_kept(live, path):
    """Not even of somebody unknown, and a form is not parsed before it is refused."""
    for kind in ("application/json", "multipart/form-data; boundary=x"):
        status, _headers, body = send(live, "POST", path, b"a" * 6_000_000, **{"Content-Type": kind})
        assert status == 413, body
        assert json.loads(body)["error"]["code"] == "body_too_large"


def test_a_form_without_a_length_is_not_json(live, secret):
    status, _headers, body = send(
        live,
        "POST",
        "/conversations",
        iter([b"a=b"]),
        Authorization=f"Bearer {secret}",
        **{"Content-Type": "application/x-www-form-urlencoded", "Transfer-Encoding": "chunked"},
    )
    assert status == 415, body


def test_another_host_is_refused_in_the_same_shape(live):
    status, _headers, body = send(live, "GET", "/me", Host="evil.example")
    assert status == 400
    assert json.loads(body)["error"]["code"] == "bad_request"


@pytest.mark.browser
def test_the_page_to_try_it_works_under_its_policy(page):
    """Everything it needs comes from this site; the browser reports nothing it had to block."""
    complaints = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto("/api/v1/docs")
    page.get_by_text("/api/v1/confirmations/{confirmation_id}/decide").wait_for()
    assert complaints == []
