"""Appending to a chain as one round trip: lock the head, compute the hash, insert the row."""

from typing import ClassVar

from django.db import migrations
from django.db.migrations.operations.base import Operation

# The text that is hashed is the canonical JSON (RFC 8785) of {"body": …, "previous": …, "seq": …}, so that
# accounts.audit can compute the same hash without the database. ON CONFLICT locks the stream's row until the
# transaction ends: two writers of one stream queue, writers of different streams do not meet.
APPEND = """
CREATE FUNCTION audit_append(
    stream_ uuid, workspace_ uuid, type_ text, actor_ uuid, actor_kind_ text, at_ timestamptz, data_ jsonb,
    body_ text, OUT id bigint, OUT seq integer, OUT previous_hash text, OUT hash text
) LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO audit_stream AS head (stream, seq, hash, previous_hash)
    VALUES (stream_, 1, audit_hash(body_, '', 1), '')
    ON CONFLICT (stream) DO UPDATE SET
        seq = head.seq + 1, hash = audit_hash(body_, head.hash, head.seq + 1), previous_hash = head.hash
    RETURNING head.seq, head.hash, head.previous_hash
    INTO audit_append.seq, audit_append.hash, audit_append.previous_hash;

    INSERT INTO audit_event AS event
        (workspace_id, stream, seq, type, actor_id, actor_kind, at, data, previous_hash, hash)
    VALUES (
        workspace_, stream_, audit_append.seq, type_, actor_, actor_kind_, at_, data_,
        audit_append.previous_hash, audit_append.hash
    )
    RETURNING event.id INTO audit_append.id;
END
$$;
"""
HASH = """
CREATE FUNCTION audit_hash(body text, previous text, seq integer) RETURNS text LANGUAGE sql IMMUTABLE
RETURN encode(sha256(convert_to(
    '{"body":"' || body || '","previous":"' || previous || '","seq":' || seq || '}', 'UTF8'
)), 'hex');
"""
UNDO_APPEND = "DROP FUNCTION audit_append(uuid, uuid, text, uuid, text, timestamptz, jsonb, text)"
UNDO_HASH = "DROP FUNCTION audit_hash(text, text, integer)"


class Migration(migrations.Migration):
    dependencies: ClassVar[list[tuple[str, str]]] = [("accounts", "0002_audit_is_append_only")]

    operations: ClassVar[list[Operation]] = [
        migrations.RunSQL(HASH, UNDO_HASH),
        migrations.RunSQL(APPEND, UNDO_APPEND),
    ]
