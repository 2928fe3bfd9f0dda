"""The reminder as a letter: its words, its identity, and its way out."""

import smtplib
from dataclasses import dataclass
from decimal import Decimal
from hashlib import sha256
from typing import Any

from django.core.mail import EmailMessage
from django.utils.translation import gettext, override

from activities.tools import ToolOutcomeUnknown, ToolUnavailable
from examples.billing.formatting import day, money
from examples.billing.models import Invoice, Reminder


@dataclass(frozen=True)
class Letter:
    """A reminder as it is sent, in the customer's language."""

    recipient: str
    subject: str
    body: str


def compose(invoice: Invoice, amount: Decimal) -> Letter:
    """Return the letter; the preview and the sending both use it."""
    language = invoice.customer.language
    with override(language):
        values = {
            "customer": invoice.customer.name,
            "invoice": invoice.number,
            "amount": money(amount, invoice.currency, language),
            "issued": day(invoice.issued_on, language),
            "due": day(invoice.due_on, language),
        }
        subject = gettext("Payment reminder: invoice %(invoice)s") % values
        body = (
            gettext(
                "Dear %(customer)s,\n\n"
                "Our invoice %(invoice)s of %(issued)s was due on %(due)s. "
                "%(amount)s has not reached us yet.\n\n"
                "Please settle it in the next days. If you have paid already, consider this message done.\n\n"
                "With kind regards"
            )
            % values
        )
    return Letter(invoice.customer.email, subject, body)


def message_id(key: str) -> str:
    """Return the Message-ID that belongs to an idempotency key: a mail sent twice carries the same."""
    return f"<{sha256(key.encode()).hexdigest()[:40]}@reminders.invalid>"


def deliver(reminder: Reminder, connection: Any) -> None:
    """Send, then say how it went. Before the server took anything, a failure is certain; after, it is not."""
    message = EmailMessage(
        reminder.subject,
        reminder.body,
        to=[reminder.recipient],
        headers={"Message-ID": reminder.message_id},
    )
    try:
        connection.open()
    except OSError as error:
        _close(reminder, Reminder.State.FAILED)
        raise ToolUnavailable(gettext("The mail server cannot be reached. Nothing was sent.")) from error
    try:
        connection.send_messages([message])
    except (smtplib.SMTPResponseException, smtplib.SMTPRecipientsRefused) as error:
        _close(reminder, Reminder.State.FAILED)
        raise ToolUnavailable(gettext("The mail server refused the message. Nothing was sent.")) from error
    except OSError as error:
        raise ToolOutcomeUnknown(
            gettext("The mail server broke off; the reminder may have been sent.")
        ) from error
    finally:
        connection.close()
    _close(reminder, Reminder.State.SENT)


def _close(reminder: Reminder, state: Reminder.State) -> None:
    reminder.state = state
    reminder.save(update_fields=["state"])
