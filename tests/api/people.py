"""People, and programs that act for them."""

import json
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from django.http import HttpResponse
from django.test import Client

from accounts import actions as accounts
from accounts.models import Role, Scope, User, Workspace
from runs import jobs

ALL = (Scope.READ, Scope.WRITE, Scope.DECIDE)


@dataclass
class Program:
    """Calls the API with a personal token, as a program does."""

    secret: str
    workspace: str = ""

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> HttpResponse:
        named = {"Authorization": f"Bearer {self.secret}", **headers}
        if self.workspace:
            named["X-Workspace"] = self.workspace
        client = Client(headers=named, enforce_csrf_checks=True)
        sent = body if isinstance(body, str | bytes) else json.dumps(body)
        return client.generic(
            method, f"/api/v1{path}", "" if body is None else sent, content_type="application/json"
        )

    def get(self, path: str, **headers: str) -> HttpResponse:
        return self.call("GET", path, **headers)

    def post(self, path: str, body: Any = None, **headers: str) -> HttpResponse:
        return self.call("POST", path, body, **headers)


def person(email: str, workspace: Workspace | None = None, *roles: Role) -> User:
    user = accounts.user_create(email=email, full_name=email.split("@")[0].title())
    if workspace:
        accounts.member_add(workspace, user, roles or (Role.BUSINESS,))
    return user


def program(user: User, *scopes: Scope) -> Program:
    """A token of `user`, with every scope unless told which."""
    return Program(accounts.token_create(user, "test", scopes or ALL)[1])


def ask(who: Program, text: str, conversation: str = "") -> str:
    """Post a message, drive its run to the next pause in this process, and return the run's id."""
    place = conversation or who.post("/conversations").json()["id"]
    posted = who.post(f"/conversations/{place}/messages", {"text": text, "client_id": str(uuid4())})
    assert posted.status_code == 202, posted.content
    run_id = posted.json()["run"]["id"]
    jobs.run_drain(UUID(run_id))
    return run_id
