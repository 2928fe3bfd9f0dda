"""The payment provider: a small interface, and the demonstration's own provider behind it.

A provider executes each idempotency key once. Which one is used is the setting BILLING_PROVIDER, the
dotted path of a class; left out, it is the ledger of this example.
"""

from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection, transaction
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _

from accounts.models import Workspace
from activities.tools import ToolOutcomeUnknown, ToolRefused, ToolUnavailable
from examples.billing.models import ProviderEntry


@dataclass(frozen=True)
class RefundOrder:
    """What the provider is asked to do. The key is the same for every attempt at the same refund."""

    idempotency_key: str
    workspace: Workspace
    invoice_number: str
    amount: Decimal
    currency: str


class PaymentProvider(Protocol):
    def refund(self, order: RefundOrder) -> str:
        """Give the money back and return the provider's reference; the same one for the same key.

        Raises ToolUnavailable when the order was certainly not taken, ToolRefused when the provider will
        not do it, ToolOutcomeUnknown when it may have been taken and no answer came.
        """
        ...


class LedgerProvider:
    """Books refunds in a table, in a transaction of its own, as a system outside would."""

    def refund(self, order: RefundOrder) -> str:
        self._reach()
        try:
            entry = self._book(order)
        except (OperationalError, InterfaceError) as error:
            raise ToolOutcomeUnknown(_("The payment provider did not answer.")) from error
        if (entry.amount, entry.currency, entry.invoice_number) != (
            order.amount,
            order.currency,
            order.invoice_number,
        ):
            raise ToolRefused(_("The payment provider already has another order under this key."))
        return entry.reference

    def _reach(self) -> None:
        try:
            connection.ensure_connection()
        except (OperationalError, InterfaceError) as error:
            raise ToolUnavailable(_("The payment provider cannot be reached.")) from error

    @transaction.atomic
    def _book(self, order: RefundOrder) -> ProviderEntry:
        entry, _created = ProviderEntry.objects.get_or_create(
            idempotency_key=order.idempotency_key,
            defaults={
                "workspace": order.workspace,
                "reference": f"RF-{ProviderEntry().pk.hex[-16:].upper()}",
                "invoice_number": order.invoice_number,
                "amount": order.amount,
                "currency": order.currency,
            },
        )
        return entry


def provider() -> PaymentProvider:
    """Return the configured provider."""
    path = getattr(settings, "BILLING_PROVIDER", "examples.billing.provider.LedgerProvider")
    made: PaymentProvider = import_string(path)()
    return made
