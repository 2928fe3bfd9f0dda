"""Who the customers are, and coming back to them."""

from datetime import date
from typing import Annotated

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from pydantic import Field

from activities.tools import (
    Effect,
    Protected,
    Ref,
    Risk,
    ToolArgumentError,
    ToolContext,
    ToolParams,
    ToolResult,
    tool,
)
from examples.billing import references, selectors
from examples.billing.models import Customer, FollowUp
from examples.billing.tools.fields import ANYONE, CustomerCode

_MAX_FOUND = 10


class SearchCustomersParams(ToolParams):
    query: Annotated[str, ANYONE] = Field(
        description="A name, a part of it in whole words, or a code.", min_length=1, max_length=120
    )


class CustomerFound(ToolResult):
    customer: Annotated[str, Ref("billing.customer")]
    name: str
    city: str
    whole_name: bool


class SearchCustomersResult(ToolResult):
    """At most ten customers, the ones with exactly this name first."""

    count: int
    customers: list[CustomerFound]


@tool(
    key="billing.search_customers",
    title=_("Search customers"),
    summary="Finds customers by name, part of a name, or code.",
    aliases={
        "en": ("find customer", "look up client", "which customer"),
        "fr": ("chercher un client", "trouver un client", "quel client"),
    },
    when_not_to_use="When the customer's code is known already.",
    risk=Risk.LOW,
    effect=Effect.NONE,
    permission="billing.view_customer",
    tags=("billing", "reading"),
)
def search_customers(ctx: ToolContext, params: SearchCustomersParams) -> SearchCustomersResult:
    found = references.customer_search(ctx, params.query, _MAX_FOUND)
    cities = dict(
        Customer.objects.filter(workspace=ctx.workspace, code__in=[item.value for item in found]).values_list(
            "code", "city"
        )
    )
    customers = [
        CustomerFound(customer=item.value, name=item.label, city=cities[item.value], whole_name=item.exact)
        for item in found
    ]
    return SearchCustomersResult(count=len(customers), customers=customers)


class GetCustomerParams(ToolParams):
    customer: CustomerCode = Field(description="The customer's code.")


class GetCustomerResult(ToolResult):
    customer: Annotated[str, Ref("billing.customer")]
    name: str
    email: Annotated[str, Protected("email", raw_allowed=True)]
    city: str
    country: str
    language: str
    currency: str
    since: date
    active: bool


@tool(
    key="billing.get_customer",
    title=_("Read a customer"),
    summary="Reads one customer's record: name, place, currency, since when.",
    aliases={
        "en": ("customer details", "client record", "who is this customer"),
        "fr": ("fiche client", "détails du client", "qui est ce client"),
    },
    when_not_to_use="To find a customer by name; search first.",
    risk=Risk.LOW,
    effect=Effect.NONE,
    permission="billing.view_customer",
    tags=("billing", "reading"),
)
def get_customer(ctx: ToolContext, params: GetCustomerParams) -> GetCustomerResult:
    customer = selectors.customer_get(ctx, params.customer)
    return GetCustomerResult(
        customer=customer.code,
        name=customer.name,
        email=customer.email,
        city=customer.city,
        country=customer.country,
        language=customer.language,
        currency=customer.currency,
        since=customer.since,
        active=customer.active,
    )


class ScheduleFollowUpParams(ToolParams):
    customer: CustomerCode = Field(description="The customer's code.")
    due_on: Annotated[date, ANYONE] = Field(description="The day to come back to the customer.")
    note: Annotated[str, ANYONE] = Field(description="What it is about.", min_length=3, max_length=500)


class ScheduleFollowUpResult(ToolResult):
    customer: Annotated[str, Ref("billing.customer")]
    name: str
    due_on: date
    note: str


def guard_follow_up(ctx: ToolContext, params: ScheduleFollowUpParams) -> None:
    """A follow-up lies ahead, and its customer exists."""
    selectors.customer_get(ctx, params.customer)
    if params.due_on < ctx.today:
        raise ToolArgumentError(["due_on"], gettext("A follow-up cannot be scheduled in the past."))


@tool(
    key="billing.schedule_follow_up",
    title=_("Schedule a follow-up"),
    summary="Notes that somebody comes back to a customer on a day.",
    aliases={
        "en": ("remind me to call", "follow up with customer", "schedule a call"),
        "fr": ("planifier un rappel", "relancer plus tard", "prévoir un appel"),
    },
    when_not_to_use="To write to the customer now.",
    risk=Risk.MEDIUM,
    effect=Effect.LOCAL,
    permission="billing.schedule_followup",
    tags=("billing",),
    guard=guard_follow_up,
)
def schedule_follow_up(ctx: ToolContext, params: ScheduleFollowUpParams) -> ScheduleFollowUpResult:
    customer = selectors.customer_get(ctx, params.customer)
    FollowUp.objects.create(
        workspace=ctx.workspace,
        customer=customer,
        due_on=params.due_on,
        note=params.note,
        created_by=ctx.user,
    )
    return ScheduleFollowUpResult(
        customer=customer.code, name=customer.name, due_on=params.due_on, note=params.note
    )
