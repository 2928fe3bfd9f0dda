"""Every answer that is not a success has the one shape, wherever it comes from."""

import json
from uuid import uuid4

import pytest
from django.contrib.sessions.backends.db import SessionStore
from django.db import OperationalError
from django.http import HttpRequest
from django.middleware.csrf import get_token
from django.test import Client
from django.utils import translation

from accounts import access, throttle
from accounts import actions as accounts
from agentapp.api import api
from agentapp.kernel.errors import Misconfigured
from tests.api.people import Program

pytestmark = pytest.mark.django_db


def error_of(response, status):
    assert response.status_code == status, response.content
    assert response["Content-Type"] == "application/json"
    body = response.json()
    assert set(body) == {"error"}
    assert set(body["error"]) == {"code", "message", "data"}
    assert body["error"]["message"]
    assert "Traceback" not in response.content.decode()
    assert 'File "' not in response.content.decode()
    return body["error"]


@pytest.mark.parametrize(
    "path", ["", "nowhere", "runs/", "../v1/x", "me/", "runs/not-an-id", "a" * 500, "%00", "é"]
)
def test_unknown_addresses_are_not_found(owner_program, path):
    assert error_of(owner_program.get(f"/{path}"), 404)["code"] == "not_found"


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"])
def test_other_methods_are_refused(owner_program, method):
    response = owner_program.call(method, "/me")
    assert error_of(response, 405)["data"] == {"allow": "GET"}
    assert response["Allow"] == "GET"


def test_nobody_is_not_signed_in():
    response = Client().get("/api/v1/me")
    assert error_of(response, 401)["code"] == "not_signed_in"
    assert response["WWW-Authenticate"].startswith("Bearer")


@pytest.mark.parametrize(
    "header",
    [
        "Bearer",
        "Bearer ",
        "Bearer x",
        "Bearer mandate_000000000000_" + "a" * 43,
        "Basic dXNlcjpwYXNz",
        "Token abc",
        "Bearer é",
        "Bearer a\x00b",
        "Bearer " + "a" * 10_000,
        "",
    ],
)
def test_a_bad_token_is_not_signed_in(owner, header):
    """A session beside it does not help: what carries the header is judged by the header."""
    client = Client(headers={"Authorization": header})
    client.force_login(owner)
    assert error_of(client.get("/api/v1/me"), 401)["code"] == "not_signed_in"


def test_a_session_needs_the_csrf_token(owner):
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner)
    assert client.get("/api/v1/me").status_code == 200
    assert error_of(client.post("/api/v1/conversations"), 415)
    response = client.post("/api/v1/conversations", content_type="application/json")
    assert error_of(response, 403)["code"] == "csrf_failed"


def test_a_session_with_the_csrf_token_may_write(owner):
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner)
    secret = get_token(HttpRequest())
    client.cookies["csrftoken"] = secret
    response = client.post(
        "/api/v1/conversations", content_type="application/json", headers={"X-CSRFToken": secret}
    )
    assert response.status_code == 201, response.content


def test_another_site_cannot_send_a_form(owner):
    client = Client()
    client.force_login(owner)
    for kind in ("application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain"):
        response = client.post("/api/v1/conversations", data="a=b", content_type=kind)
        assert error_of(response, 415)["code"] == "unsupported_media_type"


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"{", 400, "not_json"),
        (b'{"text": "a", "text": "b"}', 400, "not_json"),
        (b"[" * 100_000, 400, "not_json"),
        (b'{"text": NaN}', 400, "not_json"),
        (b'"' + b"a" * 1_100_000 + b'"', 413, "body_too_large"),
        (b'"' + b"a" * 3_000_000 + b'"', 413, "body_too_large"),
        (b"[]", 422, "invalid_input"),
        (b"null", 422, "invalid_input"),
        (b'"text"', 422, "invalid_input"),
        (b"{}", 422, "invalid_input"),
        (b'{"text": 1, "client_id": "x"}', 422, "invalid_input"),
    ],
)
def test_bad_bodies(owner_program, body, status, code):
    response = owner_program.post(f"/conversations/{uuid4()}/messages", body)
    assert error_of(response, status)["code"] == code


def test_it_names_the_bad_fields_and_repeats_no_value(owner_program):
    body = {"client_id": "secret-value", "surprise": 1, "k" * 500: 2}
    response = owner_program.post(f"/conversations/{uuid4()}/messages", json.dumps(body))
    fields = error_of(response, 422)["data"]["fields"]
    assert {"text", "client_id", "surprise"} < set(fields)
    assert all(isinstance(sentence, str) and sentence for sentence in fields.values())
    assert max(map(len, fields)) <= 60
    assert "secret-value" not in response.content.decode()


def test_it_names_a_limited_number_of_fields(owner_program):
    body = {f"field{number}": 1 for number in range(1_000)}
    response = owner_program.post(f"/conversations/{uuid4()}/messages", json.dumps(body))
    assert len(error_of(response, 422)["data"]["fields"]) <= 20


@pytest.mark.parametrize(
    "query",
    ["limit=0", "limit=101", "limit=x", "limit=1e3", "before=1", "before=%00", "before=" + "a" * 5_000],
)
def test_bad_pages(owner_program, query):
    assert error_of(owner_program.get(f"/conversations?{query}"), 422)["code"] == "invalid_input"


def test_a_defect_is_said_without_its_trace(owner, monkeypatch, caplog):
    monkeypatch.setattr(access, "workspaces_of", lambda user: 1 / 0)
    client = Client(raise_request_exception=False)
    client.force_login(owner)
    error = error_of(client.get("/api/v1/me"), 500)
    assert error["code"] == "internal"
    assert error["data"]["reference"] in caplog.text
    assert "ZeroDivisionError" in caplog.text


def test_a_wrong_declaration_is_not_shown_to_people(owner, monkeypatch):
    def broken(user):
        raise Misconfigured("secret.setting is wrong")

    monkeypatch.setattr(access, "workspaces_of", broken)
    client = Client(raise_request_exception=False)
    client.force_login(owner)
    response = client.get("/api/v1/me")
    assert error_of(response, 500)["code"] == "internal"
    assert "secret.setting" not in response.content.decode()


def test_a_database_that_restarts_is_not_a_defect(owner, monkeypatch):
    def gone(user):
        raise OperationalError("server closed the connection unexpectedly")

    monkeypatch.setattr(access, "workspaces_of", gone)
    client = Client()
    client.force_login(owner)
    response = client.get("/api/v1/me")
    assert error_of(response, 503)["code"] == "database_unavailable"
    assert response["Retry-After"]


def test_it_answers_in_the_callers_language(owner, owner_program):
    owner.language = "fr"
    owner.save()
    before = translation.get_language()
    assert owner_program.get("/me").json()["language"] == "fr"
    assert translation.get_language() == before


def test_nothing_is_cached(owner_program):
    assert "no-store" in owner_program.get("/me")["Cache-Control"]
    assert "no-store" in owner_program.get("/nowhere")["Cache-Control"]


def test_head_is_get_without_a_body(owner_program):
    response = owner_program.call("HEAD", "/me")
    assert response.status_code == 200
    assert not response.content


def test_every_route_demands_somebody():
    for path, operations in api.get_openapi_schema()["paths"].items():
        for method in operations:
            address = path.replace("{", "").replace("}", "")
            for name in ("conversation_id", "run_id", "question_id", "confirmation_id", "escalation_id"):
                address = address.replace(name, str(uuid4()))
            response = Client().generic(method.upper(), address, b"{}", content_type="application/json")
            assert error_of(response, 401), (method, path)


def test_a_program_without_a_workspace_is_told_which(owner, owner_program, other_workspace):
    accounts.member_add(other_workspace, owner)
    error = error_of(Program(owner_program.secret).get("/conversations"), 422)
    assert error["code"] == "workspace_needed"
    assert len(error["data"]["workspaces"]) == 2


@pytest.mark.parametrize("slug", ["elsewhere", "nope", "a\x00b", "x" * 5_000, "é"])
def test_a_workspace_of_others_is_not_found(owner_program, other_workspace, slug):
    error_of(Program(owner_program.secret, slug).get("/conversations"), 404)


def test_a_host_that_is_not_ours_is_refused_in_the_same_shape():
    response = Client(headers={"host": "evil.example"}).get("/api/v1/me")
    assert error_of(response, 400)["code"] == "bad_request"


def test_a_failure_before_the_view_is_said_in_the_same_shape(owner, monkeypatch):
    def gone(*args, **kwargs):
        raise OperationalError("server closed the connection unexpectedly")

    client = Client(raise_request_exception=False)
    client.force_login(owner)
    monkeypatch.setattr(SessionStore, "load", gone)
    assert error_of(client.get("/api/v1/me"), 503)["code"] == "database_unavailable"


def test_a_page_that_fails_is_no_json():
    response = Client(raise_request_exception=False).get("/no-such-page/")
    assert response.status_code == 404
    assert response["Content-Type"].startswith("text/html")


def test_many_bad_tokens_are_asked_to_wait(owner_program, monkeypatch):
    monkeypatch.setattr(throttle, "TOKEN_FAILURES", 3)
    bad = Program("mandate_000000000000_" + "a" * 43)
    assert [bad.get("/me").status_code for _attempt in range(5)] == [401, 401, 401, 429, 429]
    response = bad.get("/me")
    assert error_of(response, 429)["code"] == "too_much"
    assert 0 < int(response["Retry-After"]) <= 15 * 60
    assert owner_program.get("/me").status_code == 200
