"""Which open invoice a payment is for: the rule of the house, without a guess."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum


class Advice(StrEnum):
    ALLOCATE = "allocate"  #: One invoice fits; the payment can be allocated to it.
    REVIEW = "review"  #: A person has to look.
    NOTHING = "nothing"  #: Nothing of the payment is left to allocate.


class Reason(StrEnum):
    NUMBER_AND_AMOUNT = "number_and_amount"
    NUMBER_ONLY = "number_only"
    AMOUNT_ONLY = "amount_only"
    SEVERAL_FIT = "several_fit"
    NONE_FITS = "none_fits"
    DISPUTED = "disputed"
    ALREADY_ALLOCATED = "already_allocated"


@dataclass(frozen=True)
class OpenInvoice:
    number: str
    balance: Decimal


@dataclass(frozen=True)
class Proposal:
    advice: Advice
    reason: Reason
    invoice: str = ""
    amount: Decimal | None = None


def propose(
    remittance: str, unallocated: Decimal, disputed: bool, candidates: Sequence[OpenInvoice]
) -> Proposal:
    """Return what to do with the rest of a payment, given the payer's open invoices in its currency.

    An invoice number in the payer's words decides; without one, an amount that exactly one open invoice
    has. Everything else is for a person.
    """
    if disputed:
        return Proposal(Advice.REVIEW, Reason.DISPUTED)
    if unallocated <= 0:
        return Proposal(Advice.NOTHING, Reason.ALREADY_ALLOCATED)
    named = [item for item in candidates if mentions(remittance, item.number)]
    same = [item for item in candidates if item.balance == unallocated]
    if len(named) == 1:
        amount = min(unallocated, named[0].balance)
        reason = Reason.NUMBER_AND_AMOUNT if named[0] in same else Reason.NUMBER_ONLY
        return Proposal(Advice.ALLOCATE, reason, named[0].number, amount)
    if len(named) > 1 or len(same) > 1:
        return Proposal(Advice.REVIEW, Reason.SEVERAL_FIT)
    if len(same) == 1:
        return Proposal(Advice.ALLOCATE, Reason.AMOUNT_ONLY, same[0].number, unallocated)
    return Proposal(Advice.REVIEW, Reason.NONE_FITS)


def mentions(remittance: str, number: str) -> bool:
    """True when the payer's words carry the number, however its parts are separated."""
    parts = r"[\s\-/]*".join(re.escape(part) for part in number.split("-"))
    return re.search(rf"(?<![A-Za-z0-9]){parts}(?!\d)", remittance, re.IGNORECASE) is not None
