"""The billing example as a Django application."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class BillingConfig(AppConfig):
    name = "examples.billing"
    label = "billing"
    verbose_name = _("Billing")
    default_auto_field = "django.db.models.BigAutoField"
