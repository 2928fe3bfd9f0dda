"""Rows of the audit tables can only be inserted, whoever asks and however."""

from typing import ClassVar

from django.db import migrations
from django.db.migrations.operations.base import Operation

FUNCTION = """
CREATE FUNCTION audit_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% on % is refused: the audit history is append-only', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'insufficient_privilege';
END
$$;
"""
# Statement triggers fire even when no row matches, and are the only ones TRUNCATE knows. ENABLE ALWAYS keeps
# them firing under session_replication_role = replica.
TRIGGER = """
CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table}
    FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change();
ALTER TABLE {table} ENABLE ALWAYS TRIGGER {table}_append_only;
"""
TABLES = ("audit_event", "audit_seal")


class Migration(migrations.Migration):
    dependencies: ClassVar[list[tuple[str, str]]] = [("accounts", "0001_initial")]

    operations: ClassVar[list[Operation]] = [
        migrations.RunSQL(FUNCTION, "DROP FUNCTION audit_refuse_change()"),
        *(
            migrations.RunSQL(TRIGGER.format(table=table), f"DROP TRIGGER {table}_append_only ON {table}")
            for table in TABLES
        ),
    ]
