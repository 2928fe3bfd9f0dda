"""A catalogue of any size: tools of servers, with the words, vectors and schemas that tools have.

The words come from lists of deeds, things and circumstances. A card's vectors are mixtures of encoded
sentences with some noise, so that a hundred thousand cards are there in about a minute and lie as unevenly as
real ones; a server's tools stand together, as they do when a server is read.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any
from uuid import UUID

import numpy as np
from django.db import connection

from activities.discovery.embedding.chosen import local_embedder
from activities.discovery.language import content_stems
from activities.discovery.phrasing import phrasing
from agentapp.kernel.ids import uuid7
from agentapp.kernel.text import words

DEEDS = (
    "list", "find", "create", "update", "delete", "archive", "export", "import", "approve", "reject",
    "assign", "close", "reopen", "merge", "split", "copy", "move", "rename", "share", "lock", "schedule",
    "cancel", "compare", "summarise", "validate", "publish", "restore", "count", "tag", "watch",
)  # fmt: skip
THINGS = (
    "order", "parcel", "contract", "shift", "vehicle", "invoice", "lease", "meeting", "recipe", "sensor",
    "branch", "release", "campaign", "survey", "candidate", "course", "grade", "patient", "appointment",
    "prescription", "claim", "policy", "asset", "licence", "domain", "certificate", "backup", "volume",
    "cluster", "queue", "message", "channel", "thread", "mailbox", "calendar", "room", "badge",
    "visitor", "supplier", "quote", "tender", "shipment", "pallet", "warehouse", "batch", "formula",
    "defect", "inspection", "machine", "permit", "budget", "forecast", "journal", "account", "statement",
    "loan", "deposit", "card", "portfolio", "dividend", "tenant", "building", "lift", "meter", "reading",
    "tariff", "route", "stop", "ticket", "flight", "crew", "hotel", "booking", "menu", "table", "guest",
    "event", "sponsor", "speaker", "venue",
)  # fmt: skip
CIRCUMSTANCES = (
    "of a customer", "for last month", "by region", "with attachments", "across teams", "in bulk",
    "by owner", "past its date", "without a label", "on a given day", "by status", "of one project",
    "with its history", "shared with others", "below a threshold", "awaiting a decision",
    "by reference number", "for one site", "with a comment", "in a folder", "of a colleague", "in draft",
    "marked urgent", "with costs", "per week",
)  # fmt: skip
PERMISSION = "bench.use_server_{}"
_MIXED = 4
_NOISE = 0.5
_COPIED = 2_000


@dataclass(frozen=True)
class Tool:
    """A synthetic tool: its names and what it is about."""

    number: int
    server: int
    deed: str
    thing: str
    circumstance: str

    @property
    def key(self) -> str:
        return f"mcp.s{self.server}.{self.deed}_{self.thing}_{self.number}"

    @property
    def name(self) -> str:
        return f"{self.deed.capitalize()} {self.thing}s {self.circumstance}"

    @property
    def summary(self) -> str:
        return f"{self.deed.capitalize()} every {self.thing} {self.circumstance} and return what was done."

    @property
    def alias(self) -> str:
        return f"{self.thing} {self.deed} {self.circumstance}"


def tools(count: int, servers: int) -> list[Tool]:
    """Return `count` tools of so many servers, the same ones each time."""
    chance = Random(count)  # noqa: S311 - no secret depends on it
    per_server = count // servers
    return [
        Tool(
            number,
            number // per_server,
            chance.choice(DEEDS),
            THINGS[(number // per_server + chance.randrange(12)) % len(THINGS)],
            chance.choice(CIRCUMSTANCES),
        )
        for number in range(count)
    ]


def requests(some: Sequence[Tool], count: int) -> list[str]:
    """Return what people ask for: one of the tools in other words, now and then two things at once."""
    chance = Random(7)  # noqa: S311
    asked = []
    for place in range(count):
        one, other = chance.choice(some), chance.choice(some)
        wish = f"Could you {one.deed} the {one.thing}s {one.circumstance} for me"
        asked.append(f"{wish}, and then {other.deed} the {other.thing}s?" if place % 5 == 0 else f"{wish}?")
    return asked


def definition(tool: Tool) -> dict[str, Any]:
    """Return the function a model is sent for the tool: a schema of ordinary size."""
    chance = Random(tool.number)  # noqa: S311
    named = chance.sample(_PARAMETERS, chance.randint(3, 8))
    properties = {
        name: {"type": kind, "description": text.format(thing=tool.thing)} for name, kind, text in named
    }
    return {
        "name": tool.key.replace(".", "_"),
        "description": f"{tool.summary} Not for single {tool.thing}s that are closed already.",
        "parameters": {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        },
    }


_PARAMETERS = (
    ("reference", "string", "The reference number of the {thing}, as it stands on its first page."),
    ("owner", "string", "The e-mail address of the person who is responsible for the {thing}."),
    ("since", "string", "Only what changed on this day or later, as an ISO 8601 date."),
    ("until", "string", "Only what changed on this day or before, as an ISO 8601 date."),
    ("status", "string", "One of open, waiting, closed or archived."),
    ("limit", "integer", "The most entries to return, from 1 to 100; 20 if left out."),
    ("folder", "string", "The identifier of the folder that holds the {thing}."),
    ("comment", "string", "A sentence that is kept in the history of the {thing}."),
    ("notify", "boolean", "Whether the people who follow the {thing} are told about it."),
    ("site", "string", "The code of the site where the {thing} is kept."),
)


def store(catalogue: Sequence[Tool]) -> None:
    """Write the cards and vectors as the index's upkeep would have made them, by COPY."""
    keys = [uuid7() for _tool in catalogue]
    stems = _Stems()
    with connection.cursor() as cursor:
        with cursor.copy(_COPY_CARDS) as copy:
            for key, tool in zip(keys, catalogue, strict=True):
                copy.write_row(_card_row(key, tool, stems))
        with cursor.copy(_COPY_VECTORS) as copy:
            for row in _vector_rows(keys, catalogue):
                copy.write_row(row)
        cursor.execute("VACUUM (ANALYZE) activities_card, activities_cardvector")


_COPY_CARDS = (
    "COPY activities_card (id, kind, key, source, permission, tags, name, summary, when_not_to_use, writes,"
    " risk, tokens, digest, embedder, embedded_digest, available, words, weights, updated_at) FROM STDIN"
)
_COPY_VECTORS = (
    "COPY activities_cardvector"
    " (card_id, permission, embedder, vector, example_vector, texts, example_texts, phrasings,"
    " example_phrasings) FROM STDIN"
)


class _Stems:
    """The stems of a text, each text looked at once."""

    def __init__(self) -> None:
        self._known: dict[str, list[str]] = {}

    def __call__(self, text: str) -> list[str]:
        if text not in self._known:
            self._known[text] = content_stems(words(text))
        return self._known[text]


def _card_row(key: UUID, tool: Tool, stems: _Stems) -> tuple[Any, ...]:
    named = [stem for part in (tool.deed, tool.thing, tool.circumstance) for stem in stems(part)]
    weights = dict.fromkeys(stems(f"every {tool.circumstance} and return what was done"), 0.6)
    weights |= dict.fromkeys(named, 1.0)
    letters = {1.0: "A", 0.6: "C"}
    lexemes = " ".join(f"'{stem}':1{letters[worth]}" for stem, worth in sorted(weights.items()))
    name, summary = json.dumps({"en": tool.name}), json.dumps({"en": tool.summary})
    source, permission = f"mcp:s{tool.server}", PERMISSION.format(tool.server)
    digest = f"{tool.number:064d}"
    embedder = local_embedder().name
    return (
        str(key), "tool", tool.key, source, permission, "{bench}", name, summary, "", False, "low", 20,
        digest, embedder, digest, True, lexemes, json.dumps(weights), "2026-01-01T00:00:00Z",
    )  # fmt: skip


def _vector_rows(keys: Sequence[UUID], catalogue: Sequence[Tool]) -> Iterator[tuple[Any, ...]]:
    embedder = local_embedder()
    chance = np.random.default_rng(3)
    encoded = embedder.encode([tool.name for tool in catalogue[:: max(1, len(catalogue) // _COPIED)]])
    for start in range(0, len(keys), _COPIED):
        some = range(start, min(start + _COPIED, len(keys)))
        titles, examples = (_mixtures(encoded, len(some), chance) for _part in range(2))
        for place, title, example in zip(some, titles, examples, strict=True):
            tool = catalogue[place]
            permission = PERMISSION.format(tool.server)
            worded = phrasing(tool.name), phrasing(tool.summary)
            yield (
                str(keys[place]), permission, embedder.name, _literal(title), _literal(example),
                title.tobytes(), example.tobytes(), *worded,
            )  # fmt: skip


def _mixtures(encoded: Any, count: int, chance: np.random.Generator) -> Any:
    mixed = encoded[chance.integers(0, len(encoded), size=(count, _MIXED))]
    weights = chance.random((count, _MIXED, 1), dtype=np.float32)
    noise = chance.standard_normal((count, encoded.shape[1]), dtype=np.float32)
    vectors = (mixed * weights).sum(axis=1) + noise * (_NOISE / encoded.shape[1] ** 0.5)
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float16)


def _literal(vector: Any) -> str:
    return "[" + ",".join(f"{value:.4g}" for value in vector.tolist()) + "]"
