"""Customers and products."""

from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal

from agentapp.kernel.text import words
from examples.billing import known
from examples.billing.generator.ledger import Ledger
from examples.billing.generator.names import COMPANIES, FIRST_NAMES, LAST_NAMES, PLACES, PRODUCTS
from examples.billing.models import Customer, Product
from examples.billing.naming import name_key

#: code, name, language, country, currency, city
_KNOWN = (
    (known.RICH_CUSTOMER, known.RICH_CUSTOMER_NAME, "en", "GB", "GBP", "Bristol"),
    (known.INVOICED_CUSTOMER, known.INVOICED_CUSTOMER_NAME, "fr", "FR", "EUR", "Angoulême"),
    (known.NAMESAKES[0], known.NAMESAKES_NAME, "fr", "FR", "EUR", "Lyon"),
    (known.NAMESAKES[1], known.NAMESAKES_NAME, "fr", "FR", "EUR", "Nantes"),
    (known.DORMANT_CUSTOMER, known.DORMANT_CUSTOMER_NAME, "fr", "BE", "EUR", "Liège"),
    (known.NEW_CUSTOMER, known.NEW_CUSTOMER_NAME, "en", "IE", "EUR", "Galway"),
)


def make_products(ledger: Ledger) -> None:
    for index, (name, price, cost) in enumerate(PRODUCTS, start=1):
        ledger.products.append(
            Product(
                workspace=ledger.workspace,
                code=f"P-{index:03d}",
                name=name,
                name_key=name_key(name),
                price=Decimal(price),
                cost=Decimal(cost),
            )
        )


def make_customers(ledger: Ledger, count: int) -> None:
    """Make the known customers and fill up to `count`, by code."""
    made = {code: _customer(ledger, code, *rest) for code, *rest in _KNOWN}
    names = _names(ledger, count - len(made))
    for number in range(1, count + 1):
        code = f"C-{number:04d}"
        if code not in made:
            name, language = next(names)
            country, currency, cities = ledger.random.choice(PLACES[language])
            made[code] = _customer(
                ledger, code, name, language, country, currency, ledger.random.choice(cities)
            )
    ledger.customers.extend(made[code] for code in sorted(made))


def _names(ledger: Ledger, count: int) -> Iterator[tuple[str, str]]:
    """Yield (name, language): every company once, the rest people, none of them called like a known one."""
    taken = {name for _, name, *_ in _KNOWN}
    companies = [(name, language) for language, pool in COMPANIES.items() for name in pool]
    people = [
        (f"{first} {last}", language)
        for language in FIRST_NAMES
        for position, last in enumerate(LAST_NAMES[language])
        for first in ledger.random.sample(FIRST_NAMES[language], 9 if position < 3 else 3)
    ]
    unique = [item for item in dict(people).items() if item[0] not in taken]
    pool = companies + ledger.random.sample(unique, max(count - len(companies), 0))
    ledger.random.shuffle(pool)
    yield from pool


def _customer(
    ledger: Ledger, code: str, name: str, language: str, country: str, currency: str, city: str
) -> Customer:
    first_day = ledger.today - timedelta(days=3 * 365)
    since = first_day - timedelta(days=ledger.random.randrange(20, 2500))
    return Customer(
        workspace=ledger.workspace,
        code=code,
        name=name,
        name_key=name_key(name),
        email=f"{'.'.join(words(name))}.{code[2:]}@example.com",
        city=city,
        country=country,
        language=language,
        currency=currency,
        since=date(since.year, since.month, 1),
        active=code in known.RESERVED_CODES or ledger.random.random() > 0.04,
    )
