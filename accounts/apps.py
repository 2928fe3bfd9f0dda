from typing import Any

from django.apps import AppConfig, apps
from django.db.models import Model
from django.db.models.signals import post_delete
from django.utils.translation import gettext_lazy as _

#: Their rows are many and nothing is granted on them; a receiver would make their bulk deletions slow.
_WITHOUT_GRANTS = ("django.", "guardian", "procrastinate", "channels")


class AccountsConfig(AppConfig):
    name = "accounts"
    verbose_name = _("Accounts")

    def ready(self) -> None:
        from accounts.models.people import superuser_created

        superuser_created.connect(_record_superuser, dispatch_uid="record:superuser")
        for config in apps.get_app_configs():
            if config.name.startswith(_WITHOUT_GRANTS):
                continue
            for model in config.get_models():
                post_delete.connect(_forget_object, sender=model, dispatch_uid=f"forget:{model._meta.label}")


def _forget_object(sender: type[Model], instance: Model, **kwargs: Any) -> None:
    from accounts import access  # models are not ready when this module is read

    access.forget_object(instance)


def _record_superuser(sender: type[Model], user: Any, **kwargs: Any) -> None:
    from accounts import audit
    from accounts.models import ActorKind

    about = {"email": user.email, "is_staff": True, "is_superuser": True}
    audit.record(
        stream=user.pk,
        type="user.created",
        workspace=None,
        actor=None,
        actor_kind=ActorKind.OPERATOR,
        data=about,
    )
