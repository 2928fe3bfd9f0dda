"""Payment providers that fail in the ways providers fail, for the setting BILLING_PROVIDER."""

from activities.tools import ToolOutcomeUnknown, ToolRefused, ToolUnavailable
from examples.billing.provider import LedgerProvider, RefundOrder


class Unreachable:
    """Takes no order."""

    def refund(self, order: RefundOrder) -> str:
        raise ToolUnavailable("closed")


class Unwilling:
    """Takes the order and says no."""

    def refund(self, order: RefundOrder) -> str:
        raise ToolRefused("this card is blocked")


class Silent(LedgerProvider):
    """Executes the order; its answer is lost."""

    def refund(self, order: RefundOrder) -> str:
        super().refund(order)
        raise ToolOutcomeUnknown("no answer")
