"""The inbox's pages, and what a decider does there. Each parses, calls one action, renders."""

import hashlib
from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.http import HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.current import workspace_for
from agentapp.kernel.errors import Conflict, InvalidInput
from runs import actions, selectors
from runs.chat import inbox as shown
from runs.chat.errors import Request, edge
from runs.chat.forms import PREFIX
from runs.chat.inbox import Typed

_PARAM = "param-"
_LONGEST = 4_000


@require_safe
@never_cache
@edge
def inbox(request: Request) -> HttpResponseBase:
    """What waits for this person."""
    lists = shown.lists(request.user, workspace_for(request))
    context = {"section": "inbox", **vars(lists)}
    context["hash"] = _digest(render_to_string("inbox/_rows.html", context, request))
    return render(request, "inbox/_rows.html" if request.htmx else "inbox/list.html", context)


@require_safe
@never_cache
@edge
def badge(request: Request) -> HttpResponseBase:
    """The link in the navigation, with the number of what waits."""
    section = "inbox" if request.GET.get("section") == "inbox" else ""
    return HttpResponse(render_to_string("inbox/_link.html", {"section": section}, request))


@require_safe
@never_cache
@edge
def escalation(request: Request, escalation_id: UUID) -> HttpResponseBase:
    """One escalation: why, what is known, what can be decided, the whole story."""
    return _page(request, escalation_id)


@require_POST
@edge
def decide(request: Request, escalation_id: UUID) -> HttpResponseBase:
    """One decision. What cannot be used stays in its form; who comes second is told who was first."""
    selectors.escalation_for(request.user, escalation_id)
    kind = request.POST.get("kind", "")
    deed = _DEEDS.get(kind)
    if deed is None:
        raise InvalidInput(gettext("Choose what to do. Nothing was decided."))
    try:
        told = deed(request, escalation_id)
    except InvalidInput as error:
        typed = _typed(request.POST, kind, error)
        return _page(request, escalation_id, typed, problem=str(error), status=error.status)
    except Conflict as error:
        return _page(request, escalation_id, problem=str(error), status=error.status)
    return _done(request, escalation_id, told)


@require_POST
@edge
def confirm(request: Request, escalation_id: UUID, confirmation_id: UUID) -> HttpResponseBase:
    """Confirm or refuse what one does oneself: exactly what was shown, named by its digest."""
    selectors.escalation_for(request.user, escalation_id)
    try:
        actions.confirmation_decide(
            user=request.user,
            confirmation_id=confirmation_id,
            decision=request.POST.get("decision", ""),
            digest=request.POST.get("digest", ""),
        )
    except (Conflict, InvalidInput) as error:
        return _page(request, escalation_id, problem=str(error), status=error.status)
    return _done(request, escalation_id, "")


def _take(request: Request, escalation_id: UUID) -> str:
    over = request.POST.get("over") == "1"
    actions.escalation_take(user=request.user, escalation_id=escalation_id, over=over)
    return gettext("You are on it.")


def _supply(request: Request, escalation_id: UUID) -> str:
    actions.escalation_supply(
        user=request.user,
        escalation_id=escalation_id,
        values=_answers(request.POST),
        instruction=request.POST.get("instruction", ""),
    )
    return gettext("The step goes on with what you said.")


def _act(request: Request, escalation_id: UUID) -> str:
    actions.escalation_act(
        user=request.user,
        escalation_id=escalation_id,
        tool=request.POST.get("tool", ""),
        params=_params(request.POST),
    )
    return gettext("Your action is on its way.")


def _pass_on(request: Request, escalation_id: UUID) -> str:
    actions.escalation_pass_on(user=request.user, escalation_id=escalation_id, to=request.POST.get("to", ""))
    return gettext("It was passed on.")


def _close(request: Request, escalation_id: UUID) -> str:
    actions.escalation_close(
        user=request.user, escalation_id=escalation_id, reason=request.POST.get("reason", "")
    )
    return gettext("It is closed as not done.")


_DEEDS: dict[str, Callable[[Request, UUID], str]] = {
    "take": _take,
    "supply": _supply,
    "act": _act,
    "pass_on": _pass_on,
    "close": _close,
}


def _answers(data: QueryDict) -> dict[str, Any]:
    """Return the missing inputs' values: texts, and periods by their two parts."""
    values: dict[str, Any] = {}
    periods: dict[str, dict[str, str]] = {}
    for name, value in data.items():
        if not name.startswith(PREFIX):
            continue
        stem, dash, part = name.removeprefix(PREFIX).rpartition("-")
        text = str(value).strip()
        if not dash or part not in ("start", "end"):
            values[name.removeprefix(PREFIX)] = text
        elif text:
            periods.setdefault(stem, {})[part] = text
    return values | periods


def _params(data: QueryDict) -> dict[str, str]:
    named = {name: str(value) for name, value in data.items() if name.startswith(_PARAM)}
    return {name.removeprefix(_PARAM): value for name, value in named.items()}


def _typed(data: QueryDict, kind: str, error: InvalidInput) -> Typed:
    texts = {name: data.get(name, "")[:_LONGEST] for name in ("instruction", "reason", "to", "tool")}
    values = _params(data) if kind == "act" else _answers(data)
    return Typed(kind, texts, values, error.data.get("fields") or {})


def _done(request: Request, escalation_id: UUID, told: str) -> HttpResponseBase:
    if not request.htmx:
        return redirect("chat:escalation", escalation_id)
    return _page(request, escalation_id, told=told)


def _page(
    request: Request,
    escalation_id: UUID,
    typed: Typed | None = None,
    *,
    problem: str = "",
    told: str = "",
    status: int = 200,
) -> HttpResponse:
    typed = typed or Typed()
    context: dict[str, Any] = {
        "section": "inbox",
        "page": shown.page_of(request.user, escalation_id, typed),
        "kind": typed.kind,
        "typed": typed.texts,
        "problems": typed.problems,
    }
    context["hashes"] = {
        "head": _digest(render_to_string("inbox/_head.html", context, request)),
        "decide": _digest(repr(context["page"].choices)),
        "story": _digest(render_to_string("inbox/_story.html", context, request)),
    }
    context |= {"problem": problem, "told": told}
    template = "inbox/_escalation.html" if request.htmx else "inbox/detail.html"
    return render(request, template, context, status=status)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
