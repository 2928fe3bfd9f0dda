"""Seal the history. Run it regularly, and keep what it prints."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts import seals


class Command(BaseCommand):
    help = "Seal the audit events recorded since the last seal and print the seal's hash."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            new = seals.seal()
        except seals.SealBusy as error:
            raise CommandError(str(error)) from error
        if new is None:
            self.stdout.write("Nothing new to seal.")
            return
        self.stdout.write(
            f"Sealed {new.events} events of {new.streams} streams up to {new.last_event}: {new.hash}"
        )
