"""How invoices were paid: in time, late, in parts, not at all, twice over, or under dispute."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from itertools import pairwise

from examples.billing import known
from examples.billing.generator.ledger import Ledger, cents
from examples.billing.models import (
    CreditNote,
    Invoice,
    Payment,
    PaymentAllocation,
    PaymentException,
    ProviderEntry,
    Refund,
    Reminder,
)


@dataclass(frozen=True)
class Habit:
    """How a customer pays: days after the due date on average, how widely they vary, how often not at all."""

    days_late: int
    spread: int
    missing: float


_HABITS = (Habit(-6, 5, 0.0), Habit(-2, 4, 0.01), Habit(3, 8, 0.03), Habit(14, 15, 0.06), Habit(30, 25, 0.12))
_WEIGHTS = (30, 35, 20, 10, 5)


def make_receipts(ledger: Ledger) -> None:
    """Pay what was invoiced so far. Called once, before the known situations are added."""
    codes = [customer.code for customer in ledger.customers]
    habits = dict(zip(codes, ledger.random.choices(_HABITS, _WEIGHTS, k=len(codes)), strict=True))
    habits[known.RICH_CUSTOMER] = _HABITS[2]
    for invoice in ledger.invoices:
        _settle(ledger, invoice, habits[invoice.customer.code])
    _join_transfers(ledger)


def _settle(ledger: Ledger, invoice: Invoice, habit: Habit) -> None:
    chance = ledger.random.random()
    if chance < 0.01:
        invoice.cancelled_on = min(invoice.issued_on + timedelta(days=3), ledger.today)
        return
    due = invoice.total - _credit(ledger, invoice)
    paid_on = invoice.due_on + timedelta(days=round(ledger.random.gauss(habit.days_late, habit.spread)))
    paid_on = max(paid_on, invoice.issued_on)
    if due <= 0 or paid_on > ledger.today or ledger.random.random() < habit.missing:
        _remind(ledger, invoice)
        return
    parts = list(_parts(ledger, due, paid_on, chance))
    for amount, day in parts:
        payment = pay(ledger, invoice, amount, day, remittance=_remittance(ledger))
    if sum(amount for amount, _ in parts) < due:
        open_exception(ledger, payment, PaymentException.Kind.PARTIAL)
    _aftermath(ledger, invoice, due, paid_on, chance)
    if 0.05 <= chance < 0.055:
        payment.amount += Decimal("15.00")
        open_exception(ledger, payment, PaymentException.Kind.OVERPAID)


def _parts(ledger: Ledger, due: Decimal, paid_on: date, chance: float) -> Iterator[tuple[Decimal, date]]:
    """Yield the payments of one invoice: nearly always one; sometimes two; sometimes only a first part."""
    if chance < 0.95:
        yield due, paid_on
        return
    first = cents(due * Decimal(ledger.random.randrange(20, 80)) / 100)
    yield first, paid_on
    second_on = paid_on + timedelta(days=ledger.random.randrange(10, 50))
    if chance < 0.975 and second_on <= ledger.today:
        yield due - first, second_on


def _aftermath(ledger: Ledger, invoice: Invoice, due: Decimal, paid_on: date, chance: float) -> None:
    """One in fifty paid invoices is disputed, one in fifty is refunded, wholly or in part."""
    later = paid_on + timedelta(days=ledger.random.randrange(2, 20))
    if later > ledger.today or not 0.01 <= chance < 0.05:
        return
    if chance < 0.03:
        invoice.disputed_on = later
        return
    share = ledger.random.choice((Decimal("1"), Decimal("0.5"), Decimal("0.25")))
    refund(ledger, invoice, max(cents(due * share), Decimal("0.01")), later)


def _credit(ledger: Ledger, invoice: Invoice) -> Decimal:
    """Issue a credit note for one invoice in forty, draft one for a few; return what is credited."""
    chance = ledger.random.random()
    if chance > 0.03:
        return Decimal("0.00")
    amount = max(cents(invoice.total * Decimal(ledger.random.randrange(5, 30)) / 100), Decimal("0.01"))
    issued_on = min(invoice.issued_on + timedelta(days=5), ledger.today)
    drafted = chance > 0.025
    ledger.credit_notes.append(
        CreditNote(
            workspace=ledger.workspace,
            invoice=invoice,
            amount=amount,
            reason=ledger.random.choice(
                ("Damaged on arrival", "Livraison incomplète", "Price agreed by phone")
            ),
            state=CreditNote.State.DRAFT if drafted else CreditNote.State.ISSUED,
            created_on=issued_on,
            issued_on=None if drafted else issued_on,
        )
    )
    return Decimal("0.00") if drafted else amount


def pay(
    ledger: Ledger, invoice: Invoice, amount: Decimal, day: date, *, remittance: str = "", number: str = ""
) -> Payment:
    """Make a payment of `amount` that pays `invoice`."""
    payment = receive(ledger, invoice, amount, day, remittance=remittance, number=number)
    ledger.allocations.append(PaymentAllocation(payment=payment, invoice=invoice, amount=amount))
    return payment


def receive(
    ledger: Ledger, invoice: Invoice, amount: Decimal, day: date, *, remittance: str = "", number: str = ""
) -> Payment:
    """Make a payment by the customer of `invoice` that is allocated to nothing."""
    payment = Payment(
        workspace=ledger.workspace,
        customer=invoice.customer,
        number=number,
        received_on=day,
        amount=amount,
        currency=invoice.currency,
        method=ledger.random.choices(Payment.Method.values, (80, 15, 5))[0],
        remittance=remittance,
    )
    ledger.payments.append(payment)
    return payment


def refund(ledger: Ledger, invoice: Invoice, amount: Decimal, day: date) -> None:
    """Record a refund that was made, on our side and on the provider's."""
    serial = len(ledger.refunds) + 1
    shared = {"workspace": ledger.workspace, "amount": amount, "currency": invoice.currency}
    # Both tables are shared by all workspaces, so the key carries the workspace.
    key = f"history-{ledger.workspace.pk}-{serial}"
    reference = f"RF-{ledger.workspace.pk.hex[-12:]}-{serial:05d}"
    ledger.refunds.append(
        Refund(
            **shared,
            invoice=invoice,
            reason=ledger.random.choice(("Item arrived broken", "Article défectueux", "Sent back unopened")),
            state=Refund.State.DONE,
            idempotency_key=key,
            provider_reference=reference,
            ordered_at=datetime.combine(day, time(10), UTC),
        )
    )
    ledger.provider_entries.append(
        ProviderEntry(**shared, idempotency_key=key, reference=reference, invoice_number=invoice.number)
    )


def _remind(ledger: Ledger, invoice: Invoice) -> None:
    """Half of the invoices that stay unpaid were reminded of two weeks after their due date."""
    day = invoice.due_on + timedelta(days=14)
    if day > ledger.today or ledger.random.random() < 0.5:
        return
    serial = len(ledger.reminders) + 1
    key = f"history-{ledger.workspace.pk}-{serial}"
    ledger.reminders.append(
        Reminder(
            workspace=ledger.workspace,
            invoice=invoice,
            recipient=invoice.customer.email,
            subject="Rappel de paiement" if invoice.customer.language == "fr" else "Payment reminder",
            body="",
            state=Reminder.State.SENT,
            idempotency_key=key,
            message_id=f"<{key}@mail.invalid>",
            sent_at=datetime.combine(day, time(9), UTC),
        )
    )


def _join_transfers(ledger: Ledger) -> None:
    """Let some customers pay two invoices with one transfer, as people do at the end of a month."""
    by_customer: dict[str, list[PaymentAllocation]] = {}
    for allocation in ledger.allocations:
        by_customer.setdefault(allocation.payment.customer.code, []).append(allocation)
    apart = {id(exception.payment) for exception in ledger.exceptions}
    dropped: set[int] = set()
    for allocations in by_customer.values():
        allocations.sort(key=lambda allocation: allocation.payment.received_on)
        for first, second in pairwise(allocations):
            if _joinable(first, second, apart | dropped) and ledger.random.random() < 0.5:
                first.payment.amount += second.amount
                dropped.add(id(second.payment))
                second.payment = first.payment
    ledger.payments = [payment for payment in ledger.payments if id(payment) not in dropped]


def _joinable(first: PaymentAllocation, second: PaymentAllocation, apart: set[int]) -> bool:
    """Same day, two different invoices, and neither payment joined already or in need of a person."""
    return (
        first.payment.received_on == second.payment.received_on
        and first.payment is not second.payment
        and first.invoice is not second.invoice
        and first.payment.amount == first.amount
        and apart.isdisjoint({id(first.payment), id(second.payment)})
    )


def _remittance(ledger: Ledger) -> str:
    return ledger.random.choice(("", "", "Merci", "Thank you", "Virement", "Settlement"))


def open_exception(ledger: Ledger, payment: Payment, kind: PaymentException.Kind) -> None:
    """Say that somebody must look at `payment`."""
    ledger.exceptions.append(
        PaymentException(
            workspace=ledger.workspace, payment=payment, kind=kind, opened_on=payment.received_on
        )
    )
