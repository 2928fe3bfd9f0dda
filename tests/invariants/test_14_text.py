"""Invariant 14: text is never code: one sanitising path, and nothing but text comes out of it."""

import html
import re

import pytest

from activities.templates import render
from agentapp.kernel.sanitise import markdown_html
from runs.llm.base import Purpose
from runs.llm.scripted import call
from tests.support.blueprints import activity, prose, use
from tests.support.stage import returning, stage
from tests.support.store import Found, FoundItem
from tests.support.world import World, act

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=https://evil.example/x.png onerror=alert(1)>",
    "![x](https://evil.example/x.png)",
    "[click](javascript:alert(1))",
    "[click](data:text/html;base64,PHNjcmlwdD4=)",
    "<a href='javascript:alert(1)'>x</a>",
    "<div hx-get='/api/v1/runs' hx-trigger='load'>x</div>",
    "<a hx-post='/confirm' href='https://ok.example'>x</a>",
    "<form action='/confirm' method=post><button>Confirm</button></form>",
    "<iframe src='https://evil.example'></iframe>",
    "<svg onload=alert(1)><use href='https://evil.example#x'/></svg>",
    "<style>@import 'https://evil.example/x.css'</style>",
    "<link rel=stylesheet href=https://evil.example/x.css>",
    "<p style='background:url(https://evil.example)'>x</p>",
    "<b data-hx-get='/x' class='btn' id='confirm'>x</b>",
    "<meta http-equiv=refresh content='0;url=https://evil.example'>",
    "<base href='https://evil.example/'>",
    "<details open ontoggle=alert(1)>x</details>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "[x]: https://evil.example/x.png\n\n![a][x]",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
]
FORBIDDEN = re.compile(
    r"<(script|img|iframe|form|button|input|svg|style|link|meta|base|object|embed|video|audio|details|math|div)\b"
    r"|\son\w+\s*=|\bhx-\w+\s*=|javascript:|data:text|<[^>]*\s(style|class|id|src)\s*=",
    re.IGNORECASE,
)


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_that_acts_survives(text: str) -> None:
    shown = str(markdown_html(text))
    assert not FORBIDDEN.search(_tags(shown)), shown


def _tags(text: str) -> str:
    """The tags of a page: what is text between them is only text."""
    return " ".join(re.findall(r"<[^>]*>", text))


@pytest.mark.parametrize("text", HOSTILE)
def test_a_value_in_an_answer_shows_exactly_its_characters(text: str) -> None:
    shown = str(markdown_html(render("Name: {{ name }}", {"name": text}, "en")))
    assert _visible(shown) == " ".join(f"Name: {text}".split())
    assert _tags(shown) == "<p> </p>"


@pytest.mark.parametrize(
    "name",
    [
        "Dupont & Fils",
        "R&D <dept>",
        "a < b > c",
        "AT&amp;T",
        "1. First",
        "2) Second",
        "- dash",
        "+ plus",
        "= equals",
        "===",
        "---",
        "***",
        "# not a title",
        "> quote",
        "`code`",
        "*star*",
        "_under_",
        "a|b|c",
        "~~gone~~",
        "C:\\path",
        "[link](x)",
        "![img](x)",
        "Ünïcødé",
        "100%",
        "x^2",
        "$5",
        "a:b",
        "  spaced  ",
        "\\*",
        "&lt;",
        "1.5",
        "-5",
        "2026-01-31",
        "https://a.example/b_c",
    ],
)
def test_a_name_shows_exactly_its_characters(name: str) -> None:
    for source in ("{{ name }}", "Said.\n\n{{ name }}", "- {{ name }}"):
        shown = str(markdown_html(render(source, {"name": name}, "en")))
        expected = source.replace("{{ name }}", " ".join(name.split())).replace(
            "- ", "", source.startswith("- ")
        )
        assert _visible(shown) == " ".join(expected.split()), shown


def test_a_name_stays_in_its_cell() -> None:
    source = "| a | b |\n| --- | --- |\n| {{ name }} | 2 |"
    shown = str(markdown_html(render(source, {"name": "x | y | <b>z</b>"}, "en")))
    assert _visible(shown) == "a b x | y | <b>z</b> 2"


def _visible(page: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", page)).split())


def test_links_keep_only_harmless_addresses() -> None:
    shown = str(
        markdown_html("[a](https://ok.example) [b](mailto:a@b.example) [c](ftp://x) [d](//evil.example)")
    )
    assert 'href="https://ok.example"' in shown
    assert 'rel="noopener noreferrer nofollow"' in shown
    assert "ftp:" not in shown


def test_hostile_facts_are_text_in_the_answer(world: World) -> None:
    world.publish(
        activity(
            use("find_items"),
            outputs=[prose(max_length=400)],
            template={"en": "## Found\n\n{{ output.intro }}\n\n{{ facts.find_items.items[0].name }}"},
        )
    )
    item = FoundItem(item="A-100", name=HOSTILE[6] + HOSTILE[1], price="1", contact="x")  # type: ignore[arg-type]
    stage.on("find_items", returning(Found(items=[item], count=1)))
    run = world.run(
        act("find_items", {"words": None}),
        call("write_answer", {"intro": "".join(HOSTILE[1:4])}, purpose=Purpose.PROSE),
    )
    shown = str(markdown_html(run.answer))
    assert run.outcome == "succeeded"
    assert not FORBIDDEN.search(_tags(shown)), shown
    assert set(re.findall(r"<(\w+)", shown)) == {"h2", "p"}


@pytest.mark.parametrize("place", ["name", "summary"])
def test_hostile_names_are_text_where_something_is_declined(world: World, place: str) -> None:
    world.publish(activity(use("find_items"), **{place: {"en": HOSTILE[1] + HOSTILE[3]}}))
    nothing = call("choose_activity", {"decision": "none", "activity": None, "alternatives": []})
    run = world.play(world.post(HOSTILE[0]), nothing)
    assert run.outcome == "declined"
    shown = str(markdown_html(run.answer))
    assert not FORBIDDEN.search(_tags(shown)), shown
    assert "<a" not in shown


def test_what_a_model_says_about_a_gap_is_text(world: World) -> None:
    world.publish(activity(use("find_items")))
    run = world.run(call("escalate", {"reason": HOSTILE[0]}))
    assert not FORBIDDEN.search(_tags(str(markdown_html(run.answer))))
