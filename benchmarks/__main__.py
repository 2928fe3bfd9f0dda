"""`python -m benchmarks [--rounds N] [--sample N] [engine] [sign] [pages] [start] [discovery] [scale]`.

Prints one table. With JSON=1 in the environment, one JSON object instead of the table, and nothing else.
SECOND_ENCODER=minilm measures with the second encoder beside the built-in one.
"""

# ruff: noqa: E402 - the environment comes before Django

import argparse
import json
import os
import sys
from dataclasses import asdict

from tests import environment

environment.enter(keep=["SECOND_ENCODER"])

import django

django.setup()

from activities.discovery.embedding.chosen import local_embedder
from benchmarks import discovery, engine, pages, scale, sign, start
from benchmarks.ground import demo_database, loopback_model
from benchmarks.sets import SetMissing
from benchmarks.table import Row, show
from tests import databases

#: Measured when nothing is named; the others need sets, or minutes.
USUAL = ("engine", "sign", "pages", "start")
PARTS = (*USUAL, "discovery", "scale")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"some of: {', '.join(PARTS)}")
    parser.add_argument("--rounds", type=int, default=60, help="runs of the engine's measurement")
    parser.add_argument("--sample", type=int, default=0, help="requests of each set for a quick look")
    options = parser.parse_args()
    unknown = set(options.parts) - set(PARTS)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    parts = options.parts or USUAL
    try:
        figures = discovery.measure(options.sample) if "discovery" in parts else []
    except SetMissing as missing:
        raise SystemExit(str(missing)) from missing
    rows = _measured(parts, options.rounds)
    as_json = os.environ.get("JSON", "0") not in ("", "0")
    sys.stdout.write(f"{_json(figures, rows) if as_json else _table(figures, rows)}\n")


def _table(figures: list[discovery.Figure], rows: list[Row]) -> str:
    return show([*map(_row, figures), *rows])


def _row(figure: discovery.Figure) -> Row:
    against = f"goal {figure.goal:g}; BM25 {figure.bm25:.3f}, vectors alone {figure.dense:.3f}"
    return Row(figure.name, f"{figure.product:.3f}", f"{against}; {figure.requests:,} requests")


def _json(figures: list[discovery.Figure], rows: list[Row]) -> str:
    return json.dumps(
        {
            "encoder": local_embedder().name,
            "figures": [asdict(figure) for figure in figures],
            "measurements": [asdict(row) for row in rows],
        }
    )


def _measured(parts: tuple[str, ...] | list[str], rounds: int) -> list[Row]:
    rows: list[Row] = []
    if "engine" in parts:
        with demo_database(), loopback_model() as base_url:
            rows += engine.measure(base_url, rounds)
    if "sign" in parts:
        with databases.running() as server:
            rows += sign.measure(server)
    if "pages" in parts:
        with demo_database():
            rows += pages.measure()
    if "start" in parts:
        rows += start.measure()
    if "scale" in parts:
        rows += scale.measure()
    return rows


if __name__ == "__main__":
    main()
