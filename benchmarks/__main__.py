"""`python -m benchmarks [--rounds N] [engine] [sign] [start]`: measure, print one table."""

# ruff: noqa: E402 - the environment comes before Django

import argparse
import sys

from tests import environment

environment.enter()

import django

django.setup()

from benchmarks import engine, sign, start
from benchmarks.ground import demo_database, loopback_model
from benchmarks.table import Row, show
from tests import databases

PARTS = ("engine", "sign", "start")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"some of: {', '.join(PARTS)} (all if left out)")
    parser.add_argument("--rounds", type=int, default=60, help="runs of the engine's measurement")
    options = parser.parse_args()
    unknown = set(options.parts) - set(PARTS)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    sys.stdout.write(f"{show(_measured(options.parts or PARTS, options.rounds))}\n")


def _measured(parts: tuple[str, ...] | list[str], rounds: int) -> list[Row]:
    rows: list[Row] = []
    if "engine" in parts:
        with demo_database(), loopback_model() as base_url:
            rows += engine.measure(base_url, rounds)
    if "sign" in parts:
        with databases.running() as server:
            rows += sign.measure(server)
    if "start" in parts:
        rows += start.measure()
    return rows


if __name__ == "__main__":
    main()
