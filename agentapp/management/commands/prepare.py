"""``manage.py prepare``: migrations, demo data, static files. Starts nothing that stays."""

from typing import Any

from django.core.management.base import BaseCommand

from agentapp.startup import prepare


class Command(BaseCommand):
    help = "Migrate the database, add the demonstration's data (DEMO=1) and collect static files."

    def handle(self, *args: Any, **options: Any) -> None:
        prepare(self.stdout.write)
