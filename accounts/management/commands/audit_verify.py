"""Check the history: chains and seals, or one run's chain."""

from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from accounts import audit, seals


class Command(BaseCommand):
    help = "Verify the hash chains and the seals of the audit history. Ends with 1 when something is wrong."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--run", type=UUID, metavar="ID", help="only this run's (or object's) chain")

    def handle(self, *args: Any, run: UUID | None = None, **options: Any) -> None:
        if run is not None:
            found = [audit.verify_stream(run)]
            if found[0].ok and not found[0].events:
                raise CommandError(f"There is no event of {run}.")
            wrong = self._chains(iter(found))
        else:
            wrong = self._chains(audit.verify_all()) + self._seals()
        if wrong:
            raise CommandError(f"{wrong} broken.", returncode=1)

    def _chains(self, found: Iterator[audit.Verification]) -> int:
        streams = events = wrong = 0
        for each in found:
            streams, events = streams + 1, events + each.events
            if not each.ok:
                wrong += 1
                self.stderr.write(f"{each.stream} #{each.seq}: {each.problem}")
        self.stdout.write(f"{streams} chains, {events} events checked, {wrong} broken.")
        return wrong

    def _seals(self) -> int:
        checked = list(seals.verify_seals())
        wrong = [each for each in checked if not each.ok]
        for each in wrong:
            self.stderr.write(f"seal {each.seal.pk}: {each.problem}")
        noun = "seal" if len(checked) == 1 else "seals"
        self.stdout.write(f"{len(checked)} {noun} checked, {len(wrong)} broken.")
        return len(wrong)
