"""The published description of the API is the API."""

import json

import pytest
from django.core.management import call_command
from django.test import Client

from agentapp.api import api
from tests.environment import REPOSITORY

SNAPSHOT = REPOSITORY / "docs" / "openapi.json"
AGAIN = (
    "manage.py export_openapi_schema --api agentapp.api.api --sorted --indent 2 --output docs/openapi.json"
)


def test_the_snapshot_is_current(tmp_path):
    made = tmp_path / "openapi.json"
    call_command("export_openapi_schema", api="agentapp.api.api", sort_keys=True, indent=2, output=str(made))
    assert made.read_text() == SNAPSHOT.read_text(), f"The API changed. If that is meant: {AGAIN}"


@pytest.mark.django_db
def test_it_is_served():
    served = Client().get("/api/v1/openapi.json")
    assert served.status_code == 200
    assert served.json() == json.loads(SNAPSHOT.read_text())


@pytest.mark.django_db
def test_the_page_loads_nothing_from_elsewhere():
    response = Client().get("/api/v1/docs")
    assert response.status_code == 200
    assert "//" not in response.content.decode().replace("https://www.w3.org", "")
    policy = response["Content-Security-Policy"]
    assert "http" not in policy
    assert "script-src 'self';" in policy


def test_every_operation_says_what_it_demands_and_how_it_fails():
    schema = api.get_openapi_schema()
    operations = [operation for path in schema["paths"].values() for operation in path.values()]
    assert len({operation["operationId"] for operation in operations}) == len(operations)
    for operation in operations:
        assert operation["summary"]
        assert operation["tags"]
        assert operation["security"] == [{"TokenAuth": []}, {"SessionAuth": []}]
        assert operation["responses"]["default"]
