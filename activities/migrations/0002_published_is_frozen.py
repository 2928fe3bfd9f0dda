"""The database itself keeps published and retired revisions as they are."""

from django.db import migrations

#: table -> how a row (aliased r) leads to its revision
_PATHS = {
    "activities_activity": "SELECT r.revision_id",
    "activities_activityphrase": "SELECT a.revision_id FROM activities_activity a WHERE a.id = r.activity_id",
    "activities_activityinput": "SELECT a.revision_id FROM activities_activity a WHERE a.id = r.activity_id",
    "activities_activityoutput": "SELECT a.revision_id FROM activities_activity a WHERE a.id = r.activity_id",
    "activities_toolbinding": "SELECT a.revision_id FROM activities_activity a WHERE a.id = r.activity_id",
    "activities_step": "SELECT a.revision_id FROM activities_activity a WHERE a.id = r.activity_id",
    "activities_routingoutcome": "SELECT a.revision_id FROM activities_activity a WHERE a.id = r.activity_id",
    "activities_inputchoice": (
        "SELECT a.revision_id FROM activities_activity a"
        " JOIN activities_activityinput i ON i.activity_id = a.id WHERE i.id = r.input_id"
    ),
    "activities_parambinding": (
        "SELECT a.revision_id FROM activities_activity a"
        " JOIN activities_toolbinding b ON b.activity_id = a.id WHERE b.id = r.binding_id"
    ),
    "activities_step_tools": (
        "SELECT a.revision_id FROM activities_activity a"
        " JOIN activities_step s ON s.activity_id = a.id WHERE s.id = r.step_id"
    ),
    "activities_routinginput": (
        "SELECT a.revision_id FROM activities_activity a"
        " JOIN activities_routingoutcome o ON o.activity_id = a.id WHERE o.id = r.outcome_id"
    ),
}


def _guard(table: str, path: str) -> str:
    return f"""
CREATE FUNCTION {table}_frozen() RETURNS trigger LANGUAGE plpgsql AS $body$
DECLARE
    r {table};
    owner_state text;
BEGIN
    IF TG_OP <> 'INSERT' THEN
        r := OLD;
        SELECT v.state INTO owner_state FROM activities_revision v WHERE v.id = ({path});
        IF owner_state IS NOT NULL AND owner_state <> 'draft' THEN
            RAISE EXCEPTION 'a % revision is frozen: % on {table} refused', owner_state, TG_OP
                USING ERRCODE = 'integrity_constraint_violation';
        END IF;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        r := NEW;
        SELECT v.state INTO owner_state FROM activities_revision v WHERE v.id = ({path});
        IF owner_state IS NOT NULL AND owner_state <> 'draft' THEN
            RAISE EXCEPTION 'a % revision is frozen: % on {table} refused', owner_state, TG_OP
                USING ERRCODE = 'integrity_constraint_violation';
        END IF;
        RETURN NEW;
    END IF;
    RETURN OLD;
END $body$;
CREATE TRIGGER {table}_frozen BEFORE INSERT OR UPDATE OR DELETE ON {table}
    FOR EACH ROW EXECUTE FUNCTION {table}_frozen();
"""


_REVISION = """
CREATE FUNCTION activities_revision_frozen() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
    IF OLD.state = 'draft' THEN
        IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
        RETURN NEW;
    END IF;
    IF TG_OP = 'UPDATE' AND OLD.state = 'published' AND NEW.state = 'retired'
       AND (to_jsonb(NEW) - 'state') = (to_jsonb(OLD) - 'state') THEN
        RETURN NEW;
    END IF;
    -- Who published it may be forgotten when that person's account is deleted.
    IF TG_OP = 'UPDATE' AND (to_jsonb(NEW) - 'created_by_id' - 'published_by_id')
       = (to_jsonb(OLD) - 'created_by_id' - 'published_by_id')
       AND (NEW.created_by_id IS NULL OR NEW.created_by_id = OLD.created_by_id)
       AND (NEW.published_by_id IS NULL OR NEW.published_by_id = OLD.published_by_id) THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'a % revision is frozen: % refused', OLD.state, TG_OP
        USING ERRCODE = 'integrity_constraint_violation';
END $body$;
CREATE TRIGGER activities_revision_frozen BEFORE UPDATE OR DELETE ON activities_revision
    FOR EACH ROW EXECUTE FUNCTION activities_revision_frozen();
"""

_TABLES = ["activities_revision", *_PATHS]


class Migration(migrations.Migration):
    dependencies = [("activities", "0001_initial")]

    operations = [
        migrations.RunSQL(
            _REVISION + "".join(_guard(table, path) for table, path in _PATHS.items()),
            "".join(
                f"DROP TRIGGER {table}_frozen ON {table}; DROP FUNCTION {table}_frozen();"
                for table in _TABLES
            ),
        )
    ]
