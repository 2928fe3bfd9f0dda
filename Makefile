# make setup   prepare everything, start nothing
# make run     the whole site, until Ctrl-C
# make test    every test, browser tests included; ARGS="tests/accounts -k token" for some of them

PYTHON ?= python3
MANAGE := .venv/bin/python manage.py
# The demonstration, unless DEMO is set in the environment or in .env.
DEMO_DEFAULT ?= 1
export DEMO_DEFAULT
ARGS ?=
TEST_PROCESSES ?= 2

.PHONY: help setup run environment second-encoder environment-dev environment-test test lint format types migrations-check messages bench bench-discovery

help:
	@sed -n 's/^# //p' Makefile

setup: environment
	@$(MANAGE) prepare
	@echo "Ready. Start with: make run"

run: environment
	@exec $(MANAGE) serve

environment:
	@$(PYTHON) scripts/environment.py

# The packages of SECOND_ENCODER=minilm.
second-encoder:
	@$(PYTHON) scripts/environment.py --second-encoder

environment-dev:
	@$(PYTHON) scripts/environment.py --dev

environment-test:
	@$(PYTHON) scripts/environment.py --dev --browser

test: environment-test
	.venv/bin/python -m pytest --numprocesses $(TEST_PROCESSES) --dist loadfile $(ARGS)

lint: environment-dev
	.venv/bin/ruff check .

format: environment-dev
	.venv/bin/ruff check --fix .
	.venv/bin/ruff format .

types: environment-dev
	.venv/bin/mypy

migrations-check: environment-dev
	$(MANAGE) makemigrations --check --dry-run

# Needs gettext's msgfmt; the compiled files are part of the repository.
messages: environment
	$(MANAGE) compilemessages --ignore .venv

bench: environment-dev
	.venv/bin/python -m benchmarks

# The figures of discovery, on the public sets in DISCOVERY_SETS; JSON=1 for one JSON object.
bench-discovery: environment-dev
	@.venv/bin/python -m benchmarks discovery scale $(ARGS)
