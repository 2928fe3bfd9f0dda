"""The pages on discovery for the designers of a workspace. Nobody else finds them."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_GET, require_POST

from activities import designing, redundancy
from activities.actions.aliases import alias_add, alias_remove
from activities.admin.page import Link, attempt, desk, person, show
from activities.admin.views.agents import agents_trail
from activities.discovery.index.report import index_report
from activities.discovery.learned import learned_in
from activities.likeness import Pair
from activities.models import Card
from agentapp.kernel.errors import Conflict, InvalidInput
from runs.actions import missed_name, missed_strike
from runs.actions.missed import names_tools, run_to_name
from runs.admin.desk.discovery import listing
from runs.admin.desk.discovery.chart import chart
from runs.admin.desk.discovery.figures import rates
from runs.admin.desk.discovery.filters import Filters, read_filters
from runs.admin.desk.discovery.naming import card_names
from runs.admin.desk.discovery.teaching import (
    AliasForm,
    Asked,
    NameForm,
    asked_for,
    cards_to_teach,
    initial_alias,
    same_words,
)
from runs.models import Missed, Run

TABS = (
    ("desk_discovery", _("Rates")),
    ("desk_discovery_requests", _("What led nowhere")),
    ("desk_discovery_missed", _("Missed")),
    ("desk_discovery_unmet", _("Never met")),
    ("desk_discovery_words", _("Learned words")),
    ("desk_discovery_alike", _("Cards alike")),
    ("desk_discovery_index", _("The index")),
)
_ROWS = 50


def _show(
    request: HttpRequest, filters: Filters, name: str, context: dict[str, Any], *, status: int = 200
) -> HttpResponse:
    tabs = [Link(label, f"{reverse(f'admin:{url}')}?{filters.query}", url == name) for url, label in TABS]
    label = next((label for url, label in TABS if url == name), _("A request"))
    home = Link(_("Discovery"), tabs[0].url)
    frame = {"filters": filters, "tabs": tabs, "trail": [*agents_trail(), home, Link(label)]}
    template = f"discovery/{name.removeprefix('desk_discovery').strip('_') or 'rates'}.html"
    return show(request, template, frame | context, title=_("Discovery"), status=status)


@require_GET
@desk
def rates_page(request: HttpRequest) -> HttpResponse:
    """How searches went, day by day or week by week."""
    filters = read_filters(request)
    found = rates(filters)
    context = {
        "rates": found,
        "chart": chart(found.parts),
        "newest_first": [part for part in reversed(found.parts) if part.searches],
    }
    return _show(request, filters, "desk_discovery", context)


@require_GET
@desk
def requests_page(request: HttpRequest) -> HttpResponse:
    """The requests that led to nothing for certain, the newest first."""
    filters = read_filters(request)
    only = request.GET.get("only", "")
    only = only if only in (*listing.NOT_FOUND, listing.ESCALATED) else ""
    context = {"page": listing.requests(filters, only), "only": only, "escalated": listing.ESCALATED}
    return _show(request, filters, "desk_discovery_requests", context)


@require_GET
@desk
def missed_page(request: HttpRequest) -> HttpResponse:
    """What was missed: most often, and lately."""
    filters = read_filters(request)
    context = {"most": listing.most_missed(filters), "page": listing.missed_page(filters)}
    return _show(request, filters, "desk_discovery_missed", context)


@require_GET
@desk
def index_page(request: HttpRequest) -> HttpResponse:
    """Whether the index is up to date, and which cards need a hand."""
    filters = read_filters(request)
    return _show(request, filters, "desk_discovery_index", {"report": index_report(filters.workspace)})


@require_GET
@desk
def unmet_page(request: HttpRequest) -> HttpResponse:
    """What nobody was led to, and which tools no search showed."""
    filters = read_filters(request)
    return _show(request, filters, "desk_discovery_unmet", {"unmet": listing.unmet(filters)})


@require_GET
@desk
def words_page(request: HttpRequest) -> HttpResponse:
    """The words that cards learned here."""
    filters = read_filters(request)
    page = Paginator(learned_in(filters.workspace).select_related("card", "added_by"), _ROWS)
    return _show(request, filters, "desk_discovery_words", {"page": page.get_page(request.GET.get("page"))})


@require_GET
@desk
def alike_page(request: HttpRequest) -> HttpResponse:
    """The cards that say nearly the same."""
    filters = read_filters(request)
    compared = redundancy.of_workspace(filters.workspace)
    found = compared.alike()
    page = Paginator(found.pairs, _ROWS).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "rows": [{"pair": pair, "more": _more(pair, found.more)} for pair in page],
        "cards": len({card.identity for card in compared.cards}),
        "words_alone": compared.by_words_alone,
        "open": sum(not pair.is_told_apart for pair in found.pairs),
    }
    return _show(request, filters, "desk_discovery_alike", context)


def _more(pair: Pair, more: Any) -> int:
    return max(more.get(pair.one.identity, 0), more.get(pair.other.identity, 0))


@desk
def request_page(request: HttpRequest, pk: UUID) -> HttpResponse:
    """One request: what was considered, what there was for it, and its words as an alias."""
    filters = read_filters(request)
    asked = asked_for(filters, pk)
    cards = cards_to_teach(filters, asked)
    posted = request.POST if request.method == "POST" else None
    form = AliasForm(cards, posted, initial=initial_alias(asked, cards))
    if posted is not None and form.is_valid() and _teach(request, filters, form, cards):
        return redirect(f"{reverse('admin:desk_discovery_request', args=[pk])}?{filters.query}")
    names = card_names({each.key for each in asked.considered}, filters.workspace)
    context = {
        "asked": asked,
        "considered": [(each, names.get(each.key, "")) for each in asked.considered],
        "pk": pk,
        "form": form,
        "name_form": _name_form(request, filters, asked),
    }
    status = 200 if posted is None else 422
    return _show(request, filters, "desk_discovery_request", context, status=status)


def _teach(request: HttpRequest, filters: Filters, form: AliasForm, cards: list[Card]) -> bool:
    values = form.cleaned_data
    card = next(each for each in cards if str(each.pk) == values["card"])
    try:
        phrase = alias_add(
            card,
            workspace=filters.workspace,
            language=values["language"],
            text=values["text"],
            actor=person(request),
        )
    except (Conflict, InvalidInput) as error:
        fields = error.data.get("fields") or {None: str(error)}
        for name, problem in fields.items():
            form.add_error(name, problem)
        return False
    messages.success(request, _now("The card knows these words from now on."))
    for key in same_words(card, filters, phrase.text):
        messages.warning(request, _now("“%(key)s” is called so too.") % {"key": key})
    return True


def _name_form(request: HttpRequest, filters: Filters, asked: Asked) -> NameForm | None:
    """Return the form to name what there was, where this request can still be said something of."""
    run = Run.objects.filter(pk=asked.run_id).first() if asked.run_id else None
    if run is None:
        return None
    try:
        run = run_to_name(person(request), run.pk)
    except Conflict:
        return None
    return NameForm(person(request), filters, tools=names_tools(person(request), run))


@require_POST
@desk
def name(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Say what there was for a request."""
    filters = read_filters(request)
    run_id = asked_for(filters, pk).run_id
    if run_id is None:
        raise designing.missing()
    done = _("It is on record as missed.")
    attempt(
        request,
        done,
        lambda: missed_name(user=person(request), run_id=run_id, value=request.POST.get("missed", "")),
    )
    return redirect(f"{reverse('admin:desk_discovery_request', args=[pk])}?{filters.query}")


@require_POST
@desk
def strike(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Say that what was found later was another request."""
    filters = read_filters(request)
    row = Missed.objects.filter(workspace=filters.workspace, pk=pk).first()
    if row is None:
        raise designing.missing()
    attempt(request, _("It counts no more."), lambda: missed_strike(row, user=person(request)))
    return redirect(f"{reverse('admin:desk_discovery_missed')}?{filters.query}")


@require_POST
@desk
def word_remove(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Take a learned word back."""
    filters = read_filters(request)
    phrase = learned_in(filters.workspace).filter(pk=pk).first()
    if phrase is None:
        raise designing.missing()
    attempt(
        request,
        _("The card no longer knows these words."),
        lambda: alias_remove(phrase, actor=person(request)),
    )
    return redirect(f"{reverse('admin:desk_discovery_words')}?{filters.query}")
