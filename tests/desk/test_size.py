"""The desk's pages stay quick: no query count that grows with rows. How quick is for `make bench` to say."""

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.desk.conftest import at, pages_of
from tests.support.blueprints import activity, step, text_input, use
from tests.support.world import World


def counts(client: Client, urls: list[str]) -> list[int]:
    found = []
    for url in urls:
        with CaptureQueriesContext(connection) as queries:
            assert client.get(url).status_code == 200, url
        found.append(len(queries))
    return found


def large(key: str) -> dict[str, object]:
    names = ("find_items", "measure", "reserve", "write_off", "order", "notify")
    inputs = [text_input(f"text_{number}") for number in range(10)]
    outputs = [
        {"name": f"out_{number}", "label": {"en": "Out"}, "source": "fact", "fact": "facts.find_items.count"}
        for number in range(10)
    ]
    steps = [step(name, key=f"step_{name}") for name in names]
    return activity(*map(use, names), key=key, steps=steps, inputs=inputs, outputs=outputs, aliases={})


def test_no_query_count_grows_with_rows(world: World, desk: Client) -> None:
    small = world.draft(large("one"))
    counts(desk, pages_of(small))  # what is remembered per process is read once
    few = counts(desk, [at("activities_agent_changelist"), *pages_of(small)])
    small.delete()
    big = world.draft(*(large(f"part_{number}") for number in range(5)))
    world.draft(large("one"))
    many = counts(desk, [at("activities_agent_changelist"), *pages_of(big)])
    grown = [
        (url, before, after)
        for url, before, after in zip(["list", *pages_of(big)], few, many, strict=True)
        if after > before
    ]
    assert grown == []
    assert max(many) < 60
