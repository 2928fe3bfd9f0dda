"""Writing to customers."""

from datetime import date
from decimal import Decimal
from typing import Annotated

from django.core.mail import get_connection
from django.db import transaction
from django.utils.translation import gettext, ngettext, override
from django.utils.translation import gettext_lazy as _
from pydantic import Field

from activities.tools import (
    Effect,
    Preview,
    PreviewLine,
    Protected,
    Ref,
    Risk,
    ToolArgumentError,
    ToolContext,
    ToolOutcomeUnknown,
    ToolParams,
    ToolRefused,
    ToolResult,
    tool,
)
from examples.billing import selectors
from examples.billing.amounts import ValuedInvoice
from examples.billing.formatting import day, money
from examples.billing.letters import compose, deliver, message_id
from examples.billing.models import Invoice, InvoiceStatus, Reminder
from examples.billing.tools.fields import NOT_THE_AGENT, InvoiceNumber


class SendPaymentReminderParams(ToolParams):
    invoice: InvoiceNumber = Field(description="The overdue invoice.")
    amount: Annotated[Decimal | None, NOT_THE_AGENT] = Field(
        default=None,
        gt=0,
        max_digits=14,
        decimal_places=2,
        description="The amount to ask for; what is due on the invoice when left out.",
    )


class SendPaymentReminderResult(ToolResult):
    invoice: Annotated[str, Ref("billing.invoice")]
    customer: Annotated[str, Ref("billing.customer")]
    customer_name: str
    recipient: Annotated[str, Protected("email", raw_allowed=True)]
    subject: str
    amount: Decimal
    currency: str
    due_on: date
    message_id: str


def prepare_reminder(ctx: ToolContext, params: SendPaymentReminderParams) -> SendPaymentReminderParams:
    """Look up what is due, so that the amount shown is the amount asked for."""
    invoice = selectors.invoice_get(ctx, params.invoice)
    amount = (
        params.amount if params.amount is not None else (invoice.balance if invoice.balance > 0 else None)
    )
    return params.model_copy(update={"invoice": invoice.number, "amount": amount})


def guard_reminder(ctx: ToolContext, params: SendPaymentReminderParams) -> None:
    """Only for an overdue invoice, and only for what is still due on it."""
    invoice = selectors.invoice_get(ctx, params.invoice)
    if invoice.status != InvoiceStatus.OVERDUE:
        raise ToolRefused(
            gettext("This invoice is not overdue: it is paid, not due yet, disputed or cancelled.")
        )
    if params.amount is not None and params.amount > invoice.balance:
        raise ToolArgumentError(["amount"], gettext("This is more than what is still due on this invoice."))


def preview_reminder(ctx: ToolContext, params: SendPaymentReminderParams) -> Preview:
    params = prepare_reminder(ctx, params)
    invoice = selectors.invoice_get(ctx, params.invoice)
    letter = compose(invoice, params.amount or invoice.balance)
    late = (ctx.today - invoice.due_on).days
    with override(ctx.language):
        amount = money(params.amount or invoice.balance, invoice.currency, ctx.language)
        return Preview(
            summary=gettext("A reminder for invoice %(invoice)s will be mailed to %(customer)s.")
            % {"invoice": invoice.number, "customer": invoice.customer.name},
            recipient=f"{invoice.customer.name} <{letter.recipient}>",
            amount=amount,
            lines=(
                PreviewLine(gettext("Due on"), day(invoice.due_on, ctx.language)),
                PreviewLine(gettext("Overdue"), ngettext("%d day", "%d days", late) % late),
                PreviewLine(gettext("Subject"), letter.subject),
                PreviewLine(gettext("Text"), letter.body),
            ),
            warning=gettext("A mail that was sent cannot be taken back."),
        )


@tool(
    key="billing.send_payment_reminder",
    title=_("Send a payment reminder"),
    summary="Mails the customer of an overdue invoice a reminder to pay.",
    aliases={
        "en": ("payment reminder", "dunning letter", "chase a payment"),
        "fr": ("relance de paiement", "relancer un client", "rappel de facture"),
    },
    when_not_to_use="For an invoice that is not overdue.",
    risk=Risk.HIGH,
    effect=Effect.EXTERNAL,
    permission="billing.send_reminder",
    tags=("billing",),
    prepare=prepare_reminder,
    guard=guard_reminder,
    preview=preview_reminder,
)
def send_payment_reminder(ctx: ToolContext, params: SendPaymentReminderParams) -> SendPaymentReminderResult:
    """Record the letter, send it, record that it left. One key sends one letter.

    A row that says "sending" belongs to an attempt that broke off: the letter may have left, so it is not
    sent again.
    """
    connection = get_connection()
    reminder, is_new = _record(ctx, params)
    if not is_new and reminder.state == Reminder.State.SENDING:
        raise ToolOutcomeUnknown(gettext("An earlier attempt broke off; the reminder may have been sent."))
    if reminder.state != Reminder.State.SENT:
        deliver(reminder, connection)
    invoice = selectors.invoice_get(ctx, params.invoice)
    return SendPaymentReminderResult(
        invoice=invoice.number,
        customer=invoice.customer.code,
        customer_name=invoice.customer.name,
        recipient=reminder.recipient,
        subject=reminder.subject,
        amount=params.amount if params.amount is not None else invoice.balance,
        currency=invoice.currency,
        due_on=invoice.due_on,
        message_id=reminder.message_id,
    )


@transaction.atomic
def _record(ctx: ToolContext, params: SendPaymentReminderParams) -> tuple[Reminder, bool]:
    """Return this call's reminder, and whether this attempt may send it."""
    if not ctx.idempotency_key:
        raise ToolRefused(gettext("A reminder needs the idempotency key of a confirmed call."))
    invoice = selectors.invoice_get(ctx, params.invoice)
    Invoice.objects.select_for_update().get(pk=invoice.pk)
    known = Reminder.objects.filter(workspace=ctx.workspace, idempotency_key=ctx.idempotency_key).first()
    if known is None:
        return _new(ctx, selectors.invoice_get(ctx, params.invoice), params), True
    if known.state == Reminder.State.FAILED:
        known.state = Reminder.State.SENDING
        known.save(update_fields=["state"])
        return known, True
    return known, False


def _new(ctx: ToolContext, invoice: ValuedInvoice, params: SendPaymentReminderParams) -> Reminder:
    letter = compose(invoice, params.amount if params.amount is not None else invoice.balance)
    return Reminder.objects.create(
        workspace=ctx.workspace,
        invoice=invoice,
        recipient=letter.recipient,
        subject=letter.subject,
        body=letter.body,
        idempotency_key=ctx.idempotency_key,
        message_id=message_id(ctx.idempotency_key),
        sent_by=ctx.user,
        sent_at=ctx.now,
    )
