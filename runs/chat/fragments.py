"""A run's article in six parts, each with a stable id, rendered alike by pages, answers and sockets.

A part says what it shows (`data-hash`) and how new it is (`data-version`: the run's id and the number of
its last event, so that versions compare as texts). The page ignores a part that is older than its own or
says the same: a form somebody is filling in is never replaced by itself.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from runs.chat.present.run import RunView

PARTS = ("messages", "inputs", "steps", "prompt", "answer", "status")
COMPOSER = "composer-state"


@dataclass(frozen=True)
class Fragment:
    """One part: its element's id, the digest of what it shows, and its HTML."""

    id: str
    css: str
    version: str
    body: SafeString

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.body.encode()).hexdigest()[:16]

    def html(self, *, swap: bool) -> SafeString:
        """Return the element; with `swap`, as a replacement for the page's one."""
        return format_html(
            '<div id="{}" class="{}" data-hash="{}" data-version="{}"{}>{}</div>',
            self.id,
            self.css,
            self.digest,
            self.version,
            mark_safe(' hx-swap-oob="true"') if swap else "",
            self.body,
        )


def version_text(run_id: UUID, number: int) -> str:
    return f"{run_id}:{number:010d}"


def run_fragments(view: RunView) -> list[Fragment]:
    """Return the six parts of a run, in the order of its article."""
    return [_part(view, part) for part in PARTS]


def prompt_fragment(view: RunView) -> Fragment:
    """Return the part in which a question or a confirmation stands."""
    return _part(view, "prompt")


def _part(view: RunView, part: str) -> Fragment:
    version = version_text(view.id, view.version)
    return Fragment(f"run-{view.id}-{part}", f"run__{part}", version, _body(f"chat/run/{part}.html", view))


def composer_fragment(last: RunView | None) -> Fragment:
    """Return what stands around the text box: Send or Stop, and what a text would do now."""
    version = version_text(last.id, last.version) if last else ""
    return Fragment(COMPOSER, "composer__state", version, _body("chat/composer_state.html", last))


def _body(template: str, view: RunView | None) -> SafeString:
    return mark_safe(render_to_string(template, {"run": view}).strip())  # noqa: S308 - our own template's output


def article(view: RunView) -> SafeString:
    """Return the whole article of a run."""
    parts = [fragment.html(swap=False) for fragment in run_fragments(view)]
    return mark_safe(render_to_string("chat/run/article.html", {"run": view, "parts": parts}))  # noqa: S308


def appended(view: RunView) -> SafeString:
    """Return the article as an addition to the page's timeline."""
    return format_html('<div hx-swap-oob="beforeend:#timeline">{}</div>', article(view))


def swaps(fragments: Iterable[Fragment]) -> SafeString:
    """Return fragments as replacements, in one text."""
    return mark_safe("\n".join(fragment.html(swap=True) for fragment in fragments))  # noqa: S308
