"""`python -m benchmarks [--rounds N] [engine] [sign] [start]`: measure, print one table."""

# ruff: noqa: E402 - the environment comes before Django

import argparse
import sys

from tests import environment

environment.enter()

import django

django.setup()

from benchmarks import engine
from benchmarks.ground import demo_database, loopback_model
from benchmarks.table import Row, show

PARTS = ("engine",)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"some of: {', '.join(PARTS)} (all if left out)")
    parser.add_argument("--rounds", type=int, default=40, help="runs per measurement")
    options = parser.parse_args()
    unknown = set(options.parts) - set(PARTS)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    rows: list[Row] = []
    parts = options.parts or PARTS
    with demo_database():
        if "engine" in parts:
            with loopback_model() as base_url:
                rows += engine.measure(base_url, options.rounds)
    sys.stdout.write(f"{show(rows)}\n")


if __name__ == "__main__":
    main()
