"""What a person does in the chat: send, answer, decide, stop. Each parses, calls one action, renders."""

from uuid import UUID

from django.http import HttpResponse, HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST
from django_htmx.http import HttpResponseClientRedirect

from accounts.current import workspace_for
from accounts.models import User
from agentapp.kernel.errors import Conflict, InvalidInput
from runs import actions, selectors
from runs.chat import fragments, rows
from runs.chat.errors import Request, edge, failed, notice
from runs.chat.forms import answer_values, client_id
from runs.chat.present.run import RunView, run_view
from runs.chat.starting import conversation_start
from runs.models import Run


@require_POST
@edge
def start(request: Request) -> HttpResponseBase:
    """The first message of a new conversation: leads to its page."""
    conversation_id = conversation_start(
        user=request.user,
        workspace=workspace_for(request),
        text=request.POST.get("text", ""),
        client_id=client_id(request.POST),
    )
    return HttpResponseClientRedirect(reverse("chat:conversation", args=[conversation_id]))


@require_POST
@edge
def message(request: Request, conversation_id: UUID) -> HttpResponseBase:
    """A message: a new run's article, or the answer to the open question."""
    posted = actions.message_post(
        user=request.user,
        conversation_id=conversation_id,
        text=request.POST.get("text", ""),
        client_id=client_id(request.POST),
    )
    view = _view(request.user, posted.run.pk)
    shown = _parts(view) if posted.answered else f"{fragments.appended(view)}\n{_composer(view)}"
    return HttpResponse(f"{notice()}\n{shown}", status=200 if posted.repeated else 201)


@require_POST
@edge
def answer(request: Request, question_id: UUID) -> HttpResponseBase:
    """The form of an open question."""
    question = selectors.question_for(request.user, question_id)
    values = answer_values(question, request.POST)
    try:
        run = actions.question_answer(user=request.user, question_id=question_id, values=values)
    except InvalidInput as error:
        problems = error.data.get("fields") or {}
        view = _view(request.user, question.run_id, problems=problems, tried=values)
        return failed(error, fragments.swaps([fragments.prompt_fragment(view)]))
    except Conflict as error:
        return failed(error, _parts(_view(request.user, question.run_id)))
    return HttpResponse(f"{notice()}\n{_parts(_view(request.user, run.pk))}")


@require_POST
@edge
def decide(request: Request, confirmation_id: UUID) -> HttpResponseBase:
    """Confirm or refuse: exactly what was shown, named by its digest."""
    confirmation = selectors.confirmation_for(request.user, confirmation_id)
    try:
        actions.confirmation_decide(
            user=request.user,
            confirmation_id=confirmation_id,
            decision=request.POST.get("decision", ""),
            digest=request.POST.get("digest", ""),
        )
    except Conflict as error:
        return failed(error, _parts(_view(request.user, confirmation.run_id)))
    return HttpResponse(f"{notice()}\n{_parts(_view(request.user, confirmation.run_id))}")


@require_POST
@edge
def stop(request: Request, run_id: UUID) -> HttpResponseBase:
    """Stop a run: nothing new is started in it."""
    run = selectors.run_for(request.user, run_id)
    try:
        actions.run_stop(user=request.user, run_id=run_id)
    except Conflict:
        # It ended by itself first: what the person wanted is so; the page shows how it ended.
        ended = gettext("It had already ended.")
        return HttpResponse(f"{notice(ended)}\n{_parts(_view(request.user, run.pk))}")
    return HttpResponse(f"{notice()}\n{_parts(_view(request.user, run.pk))}")


def _view(viewer: User, run_id: UUID, **answering: dict[str, object]) -> RunView:
    with rows.one_moment():
        versions = rows.versions_of([run_id])
        run: Run = rows.whole_runs().get(pk=run_id)
        return run_view(run, versions.get(run_id, 0), viewer, **answering)  # type: ignore[arg-type]


def _parts(view: RunView) -> str:
    return f"{fragments.swaps(fragments.run_fragments(view))}\n{_composer(view)}"


def _composer(view: RunView) -> str:
    return fragments.swaps([fragments.composer_fragment(view)])
