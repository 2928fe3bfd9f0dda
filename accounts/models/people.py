"""People."""

from typing import Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.db import models, transaction
from django.db.models.functions import Lower
from django.dispatch import Signal
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.fields import FoldedEmailField, validate_time_zone
from agentapp.kernel.ids import uuid7

#: Sent in the transaction that makes one, with `user`. The audit needs the models, so it listens.
superuser_created = Signal()


class Language(models.TextChoices):
    """The languages the product speaks."""

    ENGLISH = "en", "English"
    FRENCH = "fr", "Français"


class UserManager(BaseUserManager["User"]):
    """Creates users by e-mail. Use `accounts.actions.user_create` where the creation must be recorded."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        if not email:
            raise ValueError("A user needs an e-mail address.")
        user = self.model(email=email, **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    @transaction.atomic
    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """Create a person with every right of the administration; recorded, as `createsuperuser` calls it."""
        flags = {"is_staff": True, "is_superuser": True}
        user = self.create_user(email, password, **{**fields, **flags})
        superuser_created.send(sender=type(user), user=user)
        return user

    def get_by_natural_key(self, username: str | None) -> "User":
        return self.get(email=username)


class User(AbstractBaseUser, PermissionsMixin):
    """A person who signs in with an e-mail address, whatever its case."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    email = FoldedEmailField(_("e-mail address"), unique=True)
    full_name = models.CharField(_("name"), max_length=150)
    language = models.CharField(
        _("language"), max_length=2, choices=Language.choices, default=Language.ENGLISH
    )
    time_zone = models.CharField(
        _("time zone"), max_length=64, default="UTC", validators=[validate_time_zone]
    )
    is_active = models.BooleanField(
        _("active"), default=True, help_text=_("Clear this instead of deleting the person.")
    )
    is_staff = models.BooleanField(_("may open the administration"), default=False)
    raw_disclosure = models.BooleanField(
        _("I allow protected values to reach the model"),
        default=False,
        help_text=_("One of three agreements: the tool's contract and the designer must allow it too."),
    )
    date_joined = models.DateTimeField(_("joined"), default=timezone.now, editable=False)

    objects: ClassVar[UserManager] = UserManager()

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS = ["full_name"]

    class Meta:
        verbose_name = _("user")
        verbose_name_plural = _("users")
        ordering = ["full_name", "email"]
        constraints = [
            # The field folds; this holds for writers that do not go through it.
            models.CheckConstraint(condition=models.Q(email=Lower("email")), name="user_email_lower_case"),
        ]

    def __str__(self) -> str:
        return self.full_name or self.email

    def get_full_name(self) -> str:
        return self.full_name or self.email

    def get_short_name(self) -> str:
        return (self.full_name or self.email).split(" ")[0]
