"""Write a revision of an agent as one file that people review and keep in git."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts.models import Workspace
from activities.models import Agent, Revision, RevisionState
from activities.portable import revision_export
from agentapp.kernel.errors import MandateError


class Command(BaseCommand):
    help = "Export a revision of an agent: the published one, else the newest, else the one you name."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("key", metavar="KEY", help="the agent's key")
        parser.add_argument("--workspace", metavar="SLUG", help="needed where several workspaces have it")
        parser.add_argument("--revision", type=int, metavar="N", help="its number")
        parser.add_argument("--output", type=Path, metavar="FILE", help="instead of the standard output")

    def handle(
        self,
        *args: Any,
        key: str,
        workspace: str | None = None,
        revision: int | None = None,
        output: Path | None = None,
        **options: Any,
    ) -> None:
        found = find_revision(find_agent(key, workspace), revision)
        try:
            text = revision_export(found)
        except MandateError as error:
            raise CommandError(str(error)) from error
        if output is None:
            self.stdout.write(text, ending="")
        else:
            output.write_text(text, encoding="utf-8", newline="\n")
            self.stderr.write(f"{found.agent.key} #{found.number} is written to {output}.")


def find_agent(key: str, slug: str | None) -> Agent:
    """Return the agent. Raises CommandError when there is none, or when several workspaces have one."""
    agents = Agent.objects.filter(key=key).select_related("workspace")
    if slug is not None:
        find_workspace(slug)
        agents = agents.filter(workspace__slug=slug)
    found = list(agents[:2])
    if not found:
        raise CommandError(f"There is no agent {key!r}{f' in {slug}' if slug else ''}.")
    if len(found) > 1:
        raise CommandError(f"Several workspaces have an agent {key!r}: name one with --workspace.")
    return found[0]


def find_workspace(slug: str) -> Workspace:
    """Return the workspace. Raises CommandError when there is none."""
    found = Workspace.objects.filter(slug=slug).first()
    if found is None:
        raise CommandError(f"There is no workspace {slug!r}.")
    return found


def find_revision(agent: Agent, number: int | None) -> Revision:
    """Return the revision of that number, else the published one, else the newest. Raises CommandError."""
    if number is not None:
        found = agent.revisions.filter(number=number).first()
    else:
        published = agent.revisions.filter(state=RevisionState.PUBLISHED).first()
        found = published or agent.revisions.order_by("-number").first()
    if found is None:
        raise CommandError(f"The agent {agent.key!r} has no {'such ' if number else ''}revision.")
    return found
