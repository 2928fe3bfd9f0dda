"""Who buys, and what is sold."""

from decimal import Decimal
from typing import Any

from django.db import models
from django.utils.translation import gettext_lazy as _

from examples.billing.models.base import Record, money_field
from examples.billing.naming import name_key


class Currency(models.TextChoices):
    EUR = "EUR", _("euro")
    GBP = "GBP", _("pound sterling")
    USD = "USD", _("US dollar")
    CHF = "CHF", _("Swiss franc")
    CAD = "CAD", _("Canadian dollar")


class Customer(Record):
    """A customer. `name_key` is the folded name that searches read; it is written by :meth:`save`."""

    code = models.CharField(max_length=12)
    name = models.CharField(max_length=120)
    name_key = models.CharField(max_length=160, editable=False, db_index=True)
    email = models.EmailField()
    city = models.CharField(max_length=80, blank=True)
    country = models.CharField(max_length=2)
    language = models.CharField(max_length=2, choices=[("en", _("English")), ("fr", _("French"))])
    currency = models.CharField(max_length=3, choices=Currency.choices)
    since = models.DateField()
    active = models.BooleanField(default=True)

    class Meta:
        default_permissions = ("view",)
        permissions = [("analyse_customer", "Can see margins and analyse a customer relationship")]
        ordering = ["code"]
        constraints = [
            models.UniqueConstraint(fields=["workspace", "code"], name="billing_customer_code_unique"),
            models.CheckConstraint(
                condition=models.Q(currency__in=Currency.values), name="billing_customer_currency"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.code})"

    def save(self, *args: Any, **kwargs: Any) -> None:
        self.name_key = name_key(self.name)
        super().save(*args, **kwargs)


class Product(Record):
    """Something sold. `price` and `cost` are today's, in euros; an invoice line keeps its own."""

    code = models.CharField(max_length=12)
    name = models.CharField(max_length=120)
    name_key = models.CharField(max_length=160, editable=False, db_index=True)
    price = money_field()
    cost = money_field()

    class Meta:
        default_permissions = ("view",)
        ordering = ["code"]
        constraints = [
            models.UniqueConstraint(fields=["workspace", "code"], name="billing_product_code_unique"),
            models.CheckConstraint(
                condition=models.Q(price__gt=Decimal(0), cost__gte=Decimal(0)), name="billing_product_amounts"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.code})"

    def save(self, *args: Any, **kwargs: Any) -> None:
        self.name_key = name_key(self.name)
        super().save(*args, **kwargs)
