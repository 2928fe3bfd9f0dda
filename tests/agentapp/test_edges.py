"""The site's edges: the policy header, and who may open a socket."""

import json

import pytest
from asgiref.testing import ApplicationCommunicator
from channels.testing import WebsocketCommunicator
from django.test import AsyncClient, Client

from agentapp.asgi import application
from agentapp.bodies import MAX_BODY
from agentapp.origin import is_same_origin

HOST = (b"host", b"localhost:8000")


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ([HOST, (b"origin", b"http://localhost:8000")], True),
        ([HOST, (b"origin", b"https://localhost:8000")], True),
        ([HOST], False),
        ([HOST, (b"origin", b"null")], False),
        ([HOST, (b"origin", b"")], False),
        ([HOST, (b"origin", b"http://localhost:9000")], False),
        ([HOST, (b"origin", b"http://localhost")], False),
        ([HOST, (b"origin", b"http://evil.example")], False),
        ([HOST, (b"origin", b"http://localhost:8000.evil.example")], False),
        ([HOST, (b"origin", b"http://evil.example@localhost:8000")], False),
        ([HOST, (b"origin", b"file://localhost:8000")], False),
        ([HOST, (b"origin", b"http://localhost:8000"), (b"origin", b"http://evil.example")], False),
    ],
)
def test_origin(headers: list[tuple[bytes, bytes]], expected: bool) -> None:
    assert is_same_origin(headers) is expected


@pytest.mark.parametrize("origin", [None, b"null", b"http://evil.example", b"http://localhost:1"])
async def test_foreign_socket_is_refused_before_it_is_accepted(origin: bytes | None) -> None:
    headers = [HOST, *([(b"origin", origin)] if origin is not None else [])]
    socket = WebsocketCommunicator(application, "/any/address", headers=headers)
    connected, _ = await socket.connect()
    assert not connected
    assert socket.output_queue.empty()


@pytest.mark.django_db(transaction=True)
async def test_socket_to_nowhere_is_refused() -> None:
    headers = [HOST, (b"origin", b"http://localhost:8000")]
    socket = WebsocketCommunicator(application, "/no/such/address", headers=headers)
    connected, _ = await socket.connect()
    assert not connected


@pytest.mark.django_db
def test_our_pages_run_no_inline_script(client: Client) -> None:
    policy = client.get("/healthz").headers["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert "script-src 'self'" in policy
    assert "default-src 'none'" in policy


@pytest.mark.django_db
def test_only_the_admin_has_the_looser_policy(client: Client) -> None:
    assert "unsafe-eval" in client.get("/admin/nowhere/").headers["Content-Security-Policy"]
    assert "unsafe" not in client.get("/administrator").headers["Content-Security-Policy"]


@pytest.mark.django_db
def test_hardening_headers(client: Client) -> None:
    headers = client.get("/healthz").headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "same-origin"


def test_a_foreign_host_name_is_refused(client: Client) -> None:
    assert client.get("/healthz", headers={"host": "evil.example"}).status_code == 400


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("kind", ["utf-7", "latin-1"])
async def test_a_form_that_cannot_be_read_is_a_bad_request(kind: str) -> None:
    strict = AsyncClient(enforce_csrf_checks=True, raise_request_exception=False)
    strict.cookies["csrftoken"] = "x" * 32
    form = f"application/x-www-form-urlencoded; charset={kind}"
    answer = await strict.post("/accounts/sign-in/", data=b"a=%ff", content_type=form)
    assert answer.status_code == 400
    assert "cannot be read" in answer.text


class Body:
    """One request to the site's application, its body in pieces."""

    def __init__(self, path: str, pieces: list[bytes], **headers: str) -> None:
        named = {"host": "localhost", "accept-language": "fr", **headers}
        self.scope = {
            "type": "http",
            "method": "POST",
            "path": path,
            "query_string": b"",
            "headers": [(key.replace("_", "-").encode(), value.encode()) for key, value in named.items()],
        }
        self.pieces = [{"type": "http.request", "body": piece, "more_body": True} for piece in pieces]
        self.pieces.append({"type": "http.request", "body": b"", "more_body": False})

    async def answer(self) -> tuple[int, str]:
        communicator = ApplicationCommunicator(application, self.scope)
        for message in self.pieces:
            await communicator.send_input(message)
        start = await communicator.receive_output(10)
        body = await communicator.receive_output(10)
        return start["status"], body["body"].decode()


@pytest.mark.parametrize("declared", [True, False])
async def test_a_body_that_is_too_large_is_answered_in_the_one_shape(declared: bool) -> None:
    headers = {"content_length": str(MAX_BODY + 1)} if declared else {}
    pieces = [b"{}"] if declared else [b"a" * 1_000_000] * 6
    status, body = await Body("/api/v1/conversations", pieces, **headers).answer()
    assert status == 413
    assert json.loads(body)["error"] == {
        "code": "body_too_large",
        "message": "Le corps de la requête est trop volumineux.",
        "data": {},
    }
    status, body = await Body("/accounts/sign-in/", pieces, **headers).answer()
    assert status == 413
    assert "What was sent is too large" in body


def test_what_a_page_does_not_read_is_too_large_too(client: Client) -> None:
    assert client.post("/accounts/sign-in/", {"email": "a" * 3_000_000}).status_code == 413
