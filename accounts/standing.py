"""All that the gate asks about a person, in one round trip: the same answers as `accounts.access`.

The gate asks again at every call; a query of the ORM's making for each question would cost more than the
call. Nothing is remembered: a standing is read, used and thrown away.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connection, models

from accounts.models import User, Workspace
from agentapp.kernel.gathering import ask

_SQL = """
WITH me AS MATERIALIZED (
    SELECT u.id FROM accounts_user u JOIN accounts_membership m ON m.user_id = u.id
    WHERE u.id = %s AND u.is_active AND m.active AND m.workspace_id = %s
), my_groups AS MATERIALIZED (
    SELECT ug.group_id, wg.workspace_id FROM accounts_user_groups ug JOIN me ON me.id = ug.user_id
    LEFT JOIN accounts_workspacegroup wg ON wg.group_id = ug.group_id
    WHERE wg.workspace_id IS NULL OR wg.workspace_id = %s
)
SELECT
    EXISTS (SELECT FROM me),
    ARRAY(
        SELECT DISTINCT c.app_label || '.' || p.codename
        FROM my_groups g JOIN auth_group_permissions gp ON gp.group_id = g.group_id
        JOIN auth_permission p ON p.id = gp.permission_id
        JOIN django_content_type c ON c.id = p.content_type_id
        WHERE g.workspace_id IS NOT NULL{scoped}
    ),
    ARRAY(
        SELECT p.codename || ':' || held.object_pk
        FROM (
            SELECT o.permission_id, o.object_pk FROM guardian_userobjectpermission o
            JOIN me ON me.id = o.user_id WHERE o.object_pk = ANY(%s)
            UNION
            SELECT o.permission_id, o.object_pk FROM guardian_groupobjectpermission o
            JOIN my_groups g ON g.group_id = o.group_id WHERE o.object_pk = ANY(%s)
        ) held JOIN auth_permission p ON p.id = held.permission_id
    )
"""

#: One for each scoped permission: who holds it on which objects of this workspace.
_SCOPED = """
        UNION ALL
        SELECT DISTINCT '{name}:' || held.object_pk
        FROM (
            SELECT o.permission_id, o.object_pk FROM guardian_userobjectpermission o
            JOIN me ON me.id = o.user_id
            UNION
            SELECT o.permission_id, o.object_pk FROM guardian_groupobjectpermission o
            JOIN my_groups g ON g.group_id = o.group_id
        ) held JOIN auth_permission p ON p.id = held.permission_id AND p.codename = '{codename}'
        JOIN django_content_type c
            ON c.id = p.content_type_id AND c.app_label = '{app_label}' AND c.model = '{model}'
        JOIN {table} s ON s.{key}::text = held.object_pk AND s.{workspace} = %s
"""


@dataclass(frozen=True)
class ScopedPermission:
    """An object permission that counts among the permissions in a workspace, as "app.codename:key"."""

    codename: str
    model: type[models.Model]

    @property
    def name(self) -> str:
        return f"{self.model._meta.app_label}.{self.codename}"

    @property
    def sql(self) -> str:
        meta = self.model._meta
        return _SCOPED.format(
            name=self.name,
            codename=self.codename,
            app_label=meta.app_label,
            model=meta.model_name,
            table=connection.ops.quote_name(meta.db_table),
            key=connection.ops.quote_name(str(meta.pk.column)),
            workspace=connection.ops.quote_name(f"{meta.get_field('workspace').name}_id"),
        )


_scoped: dict[str, ScopedPermission] = {}


def scope_permission(codename: str, model: type[models.Model]) -> None:
    """Count this object permission of `model`, which has a `workspace`, among the permissions there."""
    found = ScopedPermission(codename, model)
    _scoped[found.name] = found


def scoped_permissions() -> list[ScopedPermission]:
    """Return the object permissions that count so, by name."""
    return [_scoped[name] for name in sorted(_scoped)]


@dataclass(frozen=True)
class Standing:
    """What a person is and may in a workspace, at the moment it was read.

    `permissions` holds "app.codename", and "app.codename:key" for each object of a scoped permission.
    """

    member: bool
    permissions: frozenset[str]
    _held: frozenset[str]

    def holds(self, codename: str, on: models.Model) -> bool:
        """True when the object permission is held on `on`, one of the objects asked about."""
        return f"{codename}:{on.pk}" in self._held


def standing(user: User, workspace: Workspace, objects: Sequence[models.Model] = ()) -> Standing:
    """Return what `user` is and may in `workspace`, and which permissions they hold on `objects` of it.

    One query. Inactive people and who is no active member have nothing; superusers have no more than others.
    """
    keys = [str(item.pk) for item in objects]
    scoped = [each.sql for each in scoped_permissions()]
    values = [user.pk, workspace.pk, workspace.pk, *[workspace.pk for _each in scoped], keys, keys]
    member, permissions, held = ask(_SQL.format(scoped="".join(scoped)), values)[0]
    return Standing(member, frozenset(permissions), frozenset(held))
