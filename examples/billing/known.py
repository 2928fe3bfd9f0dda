"""Records that the generator always makes, under these names: for documentation, demonstrations and tests.

Each fits one situation and appears in no other. Numbers and codes never change; amounts are exact, dates in
the past of any day the generator is run on.
"""

#: Hundreds of lines of history, and the only customer of that name.
RICH_CUSTOMER = "C-0042"
RICH_CUSTOMER_NAME = "John Doe"

#: Two customers with exactly the same name, in different cities.
NAMESAKES = ("C-0101", "C-0102")
NAMESAKES_NAME = "Marie Lefèvre"

#: Active, with older invoices, but none in the last thirteen months.
DORMANT_CUSTOMER = "C-0117"
DORMANT_CUSTOMER_NAME = "Théodore Vasseur"

#: Active, and never invoiced.
NEW_CUSTOMER = "C-0118"
NEW_CUSTOMER_NAME = "Ottilie Brandt"

#: Owns the invoices below; its name carries what a careless search stumbles on.
INVOICED_CUSTOMER = "C-0077"
INVOICED_CUSTOMER_NAME = "Atelier de l'Œuvre d'Été SARL"

#: Paid in full, not refunded, not disputed.
REFUNDABLE_INVOICES = ("INV-2025-00123", "INV-2025-00124", "INV-2025-00125", "INV-2025-00126")
REFUNDABLE_INVOICE = REFUNDABLE_INVOICES[0]
#: What was paid on each, in euros.
REFUNDABLE_AMOUNTS = ("289.00", "119.80", "115.00", "208.00")
#: Paid in full; a part went back already.
PARTLY_REFUNDED_INVOICE = "INV-2025-00200"
#: Paid in full, and given back in full.
REFUNDED_INVOICE = "INV-2025-00201"
#: Paid, then disputed by the customer.
DISPUTED_INVOICE = "INV-2025-00210"

#: Nothing paid, long past due.
OVERDUE_INVOICES = ("INV-2025-01400", "INV-2025-01401", "INV-2025-01402")
OVERDUE_INVOICE = OVERDUE_INVOICES[0]
#: What is due on each, in euros.
OVERDUE_AMOUNTS = ("392.00", "336.00", "432.00")

#: A payment without an invoice, and the one open invoice whose number and amount it carries.
MATCHING_PAYMENT = "PAY-2025-00900"
MATCHING_INVOICE = "INV-2025-01450"
MATCHING_AMOUNT = "304.60"
#: A payment without an invoice that two open invoices fit equally.
AMBIGUOUS_PAYMENT = "PAY-2025-00901"
AMBIGUOUS_INVOICES = ("INV-2025-01451", "INV-2025-01452")
#: A payment that the payer's bank took back into question.
DISPUTED_PAYMENT = "PAY-2025-00902"

RESERVED_CODES = frozenset({RICH_CUSTOMER, *NAMESAKES, DORMANT_CUSTOMER, NEW_CUSTOMER, INVOICED_CUSTOMER})
RESERVED_NUMBERS = frozenset(
    {
        *REFUNDABLE_INVOICES,
        PARTLY_REFUNDED_INVOICE,
        REFUNDED_INVOICE,
        DISPUTED_INVOICE,
        *OVERDUE_INVOICES,
        MATCHING_INVOICE,
        *AMBIGUOUS_INVOICES,
        MATCHING_PAYMENT,
        AMBIGUOUS_PAYMENT,
        DISPUTED_PAYMENT,
    }
)
