"""Payment reminders: what is allowed, what is shown, and that a letter leaves once."""

import socket
from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest
from django.core import mail

from activities.tools import ToolArgumentError, ToolContext, ToolOutcomeUnknown, ToolRefused, ToolUnavailable
from examples.billing.models import Invoice, Reminder
from examples.billing.tools import outreach
from examples.billing.tools.outreach import SendPaymentReminderParams, SendPaymentReminderResult
from tests.billing import build
from tests.billing.mailserver import mail_server


def remind(ctx: ToolContext, invoice: Invoice, amount: str | None = None) -> SendPaymentReminderResult:
    """Remind as the engine does: prepare, guard, execute."""
    params = outreach.prepare_reminder(ctx, SendPaymentReminderParams(invoice=invoice.number, amount=amount))
    outreach.guard_reminder(ctx, params)
    return outreach.send_payment_reminder(ctx, params)


@pytest.fixture
def overdue(ctx: ToolContext) -> Invoice:
    customer = build.customer(
        ctx.workspace, "Noémie Roux", "C-0001", email="noemie@example.com", language="fr"
    )
    invoice = build.invoice(customer, total="1234.50", issued_on=date(2026, 5, 1), due_in=30)
    build.pay(invoice, "234.50")
    return invoice


@pytest.fixture
def smtp(settings: object) -> object:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_TIMEOUT = "127.0.0.1", 5
    settings.EMAIL_USE_TLS = settings.EMAIL_USE_SSL = False
    settings.EMAIL_HOST_USER = settings.EMAIL_HOST_PASSWORD = ""
    return settings


def test_a_letter_leaves_in_the_customers_language_and_is_recorded(
    ctx: ToolContext, overdue: Invoice
) -> None:
    result = remind(ctx, overdue)
    letter, row = mail.outbox[0], Reminder.objects.get()
    assert letter.to == ["noemie@example.com"]
    assert overdue.number in letter.subject
    assert "Relance" in letter.subject
    assert all(text in letter.body for text in ("Noémie Roux", "1\u202f000,00\u00a0€", "31 mai 2026"))
    assert letter.message()["Message-ID"] == row.message_id == result.message_id
    assert (row.state, row.recipient, row.sent_by, row.body) == (
        "sent",
        "noemie@example.com",
        ctx.user,
        letter.body,
    )
    assert (result.amount, result.due_on) == (Decimal("1000.00"), date(2026, 5, 31))


def test_the_same_key_sends_one_letter_another_key_another_one(ctx: ToolContext, overdue: Invoice) -> None:
    first = remind(ctx, overdue)
    assert remind(ctx, overdue) == first
    assert len(mail.outbox) == 1
    other = remind(replace(ctx, idempotency_key="key-2"), overdue)
    assert other.message_id != first.message_id
    assert len(mail.outbox) == 2


def test_only_for_what_is_overdue(ctx: ToolContext) -> None:
    customer = build.customer(ctx.workspace)
    paid = build.invoice(customer)
    build.pay(paid, "100.00")
    for invoice in (
        paid,
        build.invoice(customer, due_in=300),
        build.invoice(customer, disputed_on=build.TODAY),
        build.invoice(customer, cancelled_on=build.TODAY),
    ):
        with pytest.raises(ToolRefused):
            remind(ctx, invoice)
    assert mail.outbox == []
    assert not Reminder.objects.exists()


def test_never_for_more_than_is_due(ctx: ToolContext, overdue: Invoice) -> None:
    with pytest.raises(ToolArgumentError) as caught:
        remind(ctx, overdue, "1000.01")
    assert caught.value.params == ("amount",)


def test_a_confirmed_reminder_is_refused_when_the_customer_paid_meanwhile(
    ctx: ToolContext, overdue: Invoice
) -> None:
    params = outreach.prepare_reminder(ctx, SendPaymentReminderParams(invoice=overdue.number))
    assert params.amount == Decimal("1000.00")
    build.pay(overdue, "400.00")
    with pytest.raises(ToolArgumentError):
        outreach.guard_reminder(ctx, params)
    build.pay(overdue, "600.00")
    with pytest.raises(ToolRefused):
        outreach.guard_reminder(ctx, params)


def test_not_without_a_key_and_not_across_workspaces(ctx: ToolContext, overdue: Invoice) -> None:
    with pytest.raises(ToolRefused):
        remind(replace(ctx, idempotency_key=""), overdue)
    with pytest.raises(ToolArgumentError):
        remind(build.context(build.workspace("other"), key="key-9"), overdue)
    assert mail.outbox == []


@pytest.mark.parametrize("language", ["en", "fr"])
def test_the_preview_shows_the_letter_that_will_leave(
    ctx: ToolContext, overdue: Invoice, language: str
) -> None:
    ctx = replace(ctx, language=language)
    params = outreach.prepare_reminder(ctx, SendPaymentReminderParams(invoice=overdue.number))
    shown = outreach.preview_reminder(ctx, params)
    assert shown.recipient == "Noémie Roux <noemie@example.com>"
    assert shown.amount == ("€1,000.00" if language == "en" else "1\u202f000,00\u00a0€")
    assert ("30 days" if language == "en" else "30 jours") in [line.value for line in shown.lines]
    remind(ctx, overdue)
    values = [line.value for line in shown.lines]
    assert mail.outbox[0].subject in values
    assert mail.outbox[0].body in values


def test_a_server_that_cannot_be_reached_sends_nothing_and_a_retry_does(
    ctx: ToolContext, overdue: Invoice, smtp: object
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        smtp.EMAIL_PORT = taken.getsockname()[1]
        with pytest.raises(ToolUnavailable):
            remind(ctx, overdue)
    assert Reminder.objects.get().state == "failed"
    with mail_server() as server:
        smtp.EMAIL_PORT = server.server_address[1]
        remind(ctx, overdue)
        assert len(server.messages) == 1
    assert Reminder.objects.get().state == "sent"


@pytest.mark.parametrize("command", ["MAIL", "RCPT", "DATA"])
def test_a_server_that_says_no_sends_nothing(
    ctx: ToolContext, overdue: Invoice, smtp: object, command: str
) -> None:
    with mail_server(refuses_at=command) as server:
        smtp.EMAIL_PORT = server.server_address[1]
        with pytest.raises(ToolUnavailable):
            remind(ctx, overdue)
        assert server.messages == []
    assert Reminder.objects.get().state == "failed"


def test_a_server_that_breaks_off_after_the_letter_leaves_it_unknown_and_unrepeated(
    ctx: ToolContext, overdue: Invoice, smtp: object
) -> None:
    with mail_server(hangs_up=True) as server:
        smtp.EMAIL_PORT = server.server_address[1]
        for _attempt in range(2):
            with pytest.raises(ToolOutcomeUnknown):
                remind(ctx, overdue)
        assert len(server.messages) == 1
        assert Reminder.objects.get().message_id in server.messages[0]
    assert Reminder.objects.get().state == "sending"


def test_a_name_cannot_add_a_header(ctx: ToolContext) -> None:
    customer = build.customer(ctx.workspace, "Eve\nBcc: all@example.com", "C-0666")
    remind(ctx, build.invoice(customer))
    assert mail.outbox[0].recipients() == ["jane.roe@example.com"]
    assert mail.outbox[0].message()["Bcc"] is None
