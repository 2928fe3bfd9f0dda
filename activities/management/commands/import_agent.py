"""Make a draft of what a file says. Nothing is published."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts.models import User, Workspace
from activities.management.commands.export_agent import find_workspace
from activities.portable import UnreadableFile, revision_import
from activities.portable.reading import MAX_BYTES
from agentapp.kernel.errors import MandateError


class Command(BaseCommand):
    help = "Import a file as a new draft of its agent, which is made when it is new. Nothing is published."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--workspace", metavar="SLUG", help="needed where there are several")
        parser.add_argument("--user", metavar="EMAIL", help="in whose name; else the operator's")

    def handle(
        self, *args: Any, file: Path, workspace: str | None = None, user: str | None = None, **options: Any
    ) -> None:
        text, place, actor = read_file(file), _workspace(workspace), _person(user)
        try:
            draft = revision_import(text, workspace=place, actor=actor, note=file.name)
        except UnreadableFile as error:
            raise CommandError("\n".join(error.data["problems"])) from error
        except MandateError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{draft.agent.key} #{draft.number} is a draft in {place.slug}.")


def read_file(path: Path) -> bytes:
    """Return the file's bytes, never more than one too many. Raises CommandError."""
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror or error}.") from error


def _workspace(slug: str | None) -> Workspace:
    if slug is not None:
        return find_workspace(slug)
    found = list(Workspace.objects.all()[:2])
    if len(found) != 1:
        raise CommandError("Name the workspace with --workspace.")
    return found[0]


def _person(email: str | None) -> User | None:
    if email is None:
        return None
    found = User.objects.filter(email__iexact=email).first()
    if found is None:
        raise CommandError(f"There is no user {email!r}.")
    return found
