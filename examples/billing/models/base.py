"""What every billing record has."""

from typing import Any

from django.db import models

from agentapp.kernel.ids import uuid7


def money_field(**options: Any) -> models.DecimalField:
    """An exact amount with two decimals, up to 999,999,999,999.99."""
    return models.DecimalField(max_digits=14, decimal_places=2, **options)


class Identified(models.Model):
    """A row with an identifier that sorts by the moment it was made."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)

    class Meta:
        abstract = True


class Record(Identified):
    """A record of one workspace; every read filters by it."""

    workspace = models.ForeignKey("accounts.Workspace", on_delete=models.CASCADE, related_name="+")

    class Meta:
        abstract = True
