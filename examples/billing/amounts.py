"""What an invoice or a payment still is worth: sums over other rows, computed where they are read."""

from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypedDict, cast

from django.db.models import Case, CharField, DecimalField, F, OuterRef, QuerySet, Subquery, Sum, Value, When
from django.db.models.functions import Coalesce, Greatest

from examples.billing.models import (
    CreditNote,
    Invoice,
    InvoiceStatus,
    Payment,
    PaymentAllocation,
    Refund,
)

_ZERO = Value(Decimal("0.00"), output_field=DecimalField(max_digits=14, decimal_places=2))

#: The states of an invoice on which something is due and nobody disagrees.
OPEN = (InvoiceStatus.UNPAID, InvoiceStatus.PARTLY_PAID, InvoiceStatus.OVERDUE)


class InvoiceAmounts(TypedDict):
    """What is known of an invoice as of a day.

    `paid` is what payments were allocated to it, `credited` its issued credit notes, `refunded` what went
    back or may have gone back, `balance` = total - credited - paid (never below zero), `refundable` =
    paid - refunded, and `status` an :class:`InvoiceStatus` value.
    """

    paid: Decimal
    credited: Decimal
    refunded: Decimal
    balance: Decimal
    refundable: Decimal
    status: str


class PaymentAmounts(TypedDict):
    """What of a payment is allocated to invoices, and what is not."""

    allocated: Decimal
    unallocated: Decimal


if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

    ValuedInvoice = WithAnnotations[Invoice, InvoiceAmounts]
    ValuedPayment = WithAnnotations[Payment, PaymentAmounts]
else:
    ValuedInvoice, ValuedPayment = Invoice, Payment


def invoices_with_amounts(invoices: QuerySet[Invoice], today: date) -> QuerySet[ValuedInvoice]:
    """Add what :class:`InvoiceAmounts` describes, as of `today`."""
    issued = CreditNote.objects.filter(state=CreditNote.State.ISSUED)
    given_back = Refund.objects.exclude(state=Refund.State.FAILED)
    valued = (
        invoices.annotate(
            paid=_sum(PaymentAllocation.objects.all(), "invoice"),
            credited=_sum(issued, "invoice"),
            refunded=_sum(given_back, "invoice"),
        )
        .annotate(
            balance=Greatest(F("total") - F("credited") - F("paid"), _ZERO),
            refundable=F("paid") - F("refunded"),
        )
        .annotate(status=_status(today))
    )
    return cast("QuerySet[ValuedInvoice]", valued)


def payments_with_amounts(payments: QuerySet[Payment]) -> QuerySet[ValuedPayment]:
    """Add what :class:`PaymentAmounts` describes."""
    allocated = payments.annotate(allocated=_sum(PaymentAllocation.objects.all(), "payment"))
    return cast("QuerySet[ValuedPayment]", allocated.annotate(unallocated=F("amount") - F("allocated")))


def _sum(rows: QuerySet[Any], owner: str) -> Coalesce:
    total = rows.filter(**{owner: OuterRef("pk")}).order_by().values(owner).annotate(total=Sum("amount"))
    return Coalesce(Subquery(total.values("total")), _ZERO)


def _status(today: date) -> Case:
    return Case(
        When(cancelled_on__isnull=False, then=Value(InvoiceStatus.CANCELLED.value)),
        When(disputed_on__isnull=False, then=Value(InvoiceStatus.DISPUTED.value)),
        When(balance=0, then=Value(InvoiceStatus.PAID.value)),
        When(due_on__lt=today, then=Value(InvoiceStatus.OVERDUE.value)),
        When(paid__gt=0, then=Value(InvoiceStatus.PARTLY_PAID.value)),
        default=Value(InvoiceStatus.UNPAID.value),
        output_field=CharField(),
    )
