"""Appending several events to a chain: its head is locked and moved once, not for each of them."""

from importlib import import_module
from typing import ClassVar

from django.db import migrations
from django.db.migrations.operations.base import Operation

# ON CONFLICT DO UPDATE locks the stream's row as `audit_append` does, without moving it; the new head is
# written when the last hash is known.
APPEND_MANY = """
CREATE FUNCTION audit_append_many(
    stream_ uuid, workspace_ uuid, types_ text[], actor_ uuid, actor_kinds_ text[], at_ timestamptz,
    data_ jsonb[], bodies_ text[]
) RETURNS TABLE (id bigint, seq integer, previous_hash text, hash text) LANGUAGE plpgsql AS $$
DECLARE
    last_seq integer;
    before_last text := '';
    last_hash text;
    hashes text[] := '{}';
    previous text[] := '{}';
    first_seq integer;
BEGIN
    SELECT head.seq, head.hash INTO last_seq, last_hash
    FROM audit_stream AS head WHERE head.stream = stream_ FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        INSERT INTO audit_stream AS head (stream, seq, hash, previous_hash) VALUES (stream_, 0, '', '')
        ON CONFLICT (stream) DO UPDATE SET seq = head.seq
        RETURNING head.seq, head.hash INTO last_seq, last_hash;
    END IF;
    first_seq := last_seq + 1;

    FOR place IN 1 .. array_length(types_, 1) LOOP
        last_seq := last_seq + 1;
        before_last := last_hash;
        last_hash := audit_hash(bodies_[place], before_last, last_seq);
        previous[place] := before_last;
        hashes[place] := last_hash;
    END LOOP;

    UPDATE audit_stream AS head SET seq = last_seq, hash = last_hash, previous_hash = before_last
    WHERE head.stream = stream_;

    RETURN QUERY INSERT INTO audit_event AS event
        (workspace_id, stream, seq, type, actor_id, actor_kind, at, data, previous_hash, hash)
    SELECT
        workspace_, stream_, first_seq - 1 + draft.place, draft.type, actor_, draft.kind, at_, draft.data,
        draft.previous, draft.hash
    FROM unnest(types_, actor_kinds_, data_, previous, hashes)
        WITH ORDINALITY AS draft (type, kind, data, previous, hash, place)
    ORDER BY draft.place
    RETURNING event.id, event.seq, event.previous_hash::text, event.hash::text;
END
$$;
"""
#: One event is appended in the same way.
DROP_ONE = "DROP FUNCTION audit_append(uuid, uuid, text, uuid, text, timestamptz, jsonb, text)"
APPEND_ONE = import_module("accounts.migrations.0003_audit_append").APPEND
UNDO = "DROP FUNCTION audit_append_many(uuid, uuid, text[], uuid, text[], timestamptz, jsonb[], text[])"


class Migration(migrations.Migration):
    dependencies: ClassVar[list[tuple[str, str]]] = [("accounts", "0003_audit_append")]

    operations: ClassVar[list[Operation]] = [
        migrations.RunSQL(APPEND_MANY, UNDO),
        migrations.RunSQL(DROP_ONE, APPEND_ONE),
    ]
