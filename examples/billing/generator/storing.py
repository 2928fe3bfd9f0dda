"""Numbering and writing what was made."""

from collections import Counter
from collections.abc import Iterable
from datetime import date
from typing import Any

from django.db import connection, models, transaction

from examples.billing import known
from examples.billing.generator.ledger import Ledger


def number_all(ledger: Ledger) -> None:
    """Give invoices, payments and credit notes their numbers, by day within each year."""
    _number(ledger.invoices, "INV", "issued_on", 5)
    _number(ledger.payments, "PAY", "received_on", 5)
    _number(ledger.credit_notes, "CN", "created_on", 4)
    entries = zip(ledger.provider_entries, ledger.refunds, strict=True)
    for entry, refund in entries:
        entry.invoice_number = refund.invoice.number


def _number(rows: Iterable[Any], prefix: str, day_field: str, digits: int) -> None:
    used: Counter[int] = Counter()
    for row in sorted((row for row in rows if not row.number), key=lambda row: getattr(row, day_field)):
        day: date = getattr(row, day_field)
        used[day.year] += 1
        while f"{prefix}-{day.year}-{used[day.year]:0{digits}d}" in known.RESERVED_NUMBERS:
            used[day.year] += 1
        row.number = f"{prefix}-{day.year}-{used[day.year]:0{digits}d}"


@transaction.atomic
def store(ledger: Ledger) -> None:
    """Write all rows, parents first, and let the database count them.

    Until it has, it takes the tables for tiny and plans the first questions badly.
    """
    rows: tuple[list[Any], ...] = (
        ledger.products,
        ledger.customers,
        ledger.invoices,
        ledger.lines,
        ledger.credit_notes,
        ledger.payments,
        ledger.allocations,
        ledger.exceptions,
        ledger.refunds,
        ledger.provider_entries,
        ledger.reminders,
    )
    for batch in rows:
        if batch:
            model: type[models.Model] = type(batch[0])
            model._default_manager.bulk_create(batch, batch_size=2000)
            with connection.cursor() as cursor:
                cursor.execute(f"ANALYZE {connection.ops.quote_name(model._meta.db_table)}")
