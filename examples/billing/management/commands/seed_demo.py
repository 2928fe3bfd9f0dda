"""`manage.py seed_demo`: make the demonstration's workspace, people, records and agent."""

from typing import Any

from django.core.management.base import BaseCommand

from examples.billing.demo import seed_demo, sign_ins


class Command(BaseCommand):
    help = "Make the demonstration: a workspace, its people, three years of billing and the billing agent."

    def handle(self, *args: Any, **options: Any) -> None:
        workspace = seed_demo()
        self.stdout.write(f"{workspace.name} is ready.")
        for email, password, about in sign_ins():
            self.stdout.write(f"  {email}  {password}  ({about})")
