"""Drafts count their changes; publishing may need a second person and a pass rate."""

import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


_FROZEN = """
CREATE OR REPLACE FUNCTION activities_revision_frozen() RETURNS trigger LANGUAGE plpgsql AS $body$
DECLARE
    people text[] := ARRAY[{people}];
    person text;
BEGIN
    IF OLD.state = 'draft' THEN
        IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
        RETURN NEW;
    END IF;
    IF TG_OP = 'UPDATE' AND OLD.state = 'published' AND NEW.state = 'retired'
       AND (to_jsonb(NEW) - 'state') = (to_jsonb(OLD) - 'state') THEN
        RETURN NEW;
    END IF;
    -- Who worked on it may be forgotten when that person's account is deleted.
    IF TG_OP = 'UPDATE' AND (to_jsonb(NEW) - people) = (to_jsonb(OLD) - people) THEN
        FOREACH person IN ARRAY people LOOP
            IF to_jsonb(NEW) ->> person IS DISTINCT FROM to_jsonb(OLD) ->> person
               AND to_jsonb(NEW) ->> person IS NOT NULL THEN
                RAISE EXCEPTION 'a % revision is frozen: % refused', OLD.state, TG_OP
                    USING ERRCODE = 'integrity_constraint_violation';
            END IF;
        END LOOP;
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'a % revision is frozen: % refused', OLD.state, TG_OP
        USING ERRCODE = 'integrity_constraint_violation';
END $body$;
"""
_BEFORE = ("created_by_id", "published_by_id")
_NOW = (*_BEFORE, "changed_by_id")


def _frozen(people):
    return _FROZEN.format(people=", ".join(f"'{name}'" for name in people))


class Migration(migrations.Migration):
    dependencies = [
        ("activities", "0002_published_is_frozen"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="agent",
            name="second_person",
            field=models.BooleanField(
                default=False,
                help_text="A draft is published by somebody who has not worked on it.",
                verbose_name="a second person publishes",
            ),
        ),
        migrations.AddField(
            model_name="revision",
            name="changed_at",
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.AddField(
            model_name="revision",
            name="changed_by",
            field=models.ForeignKey(
                blank=True,
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="revision",
            name="required_pass_rate",
            field=models.DecimalField(
                blank=True,
                decimal_places=2,
                help_text="In percent of the test prompts. Below it, the revision cannot be published.",
                max_digits=5,
                null=True,
                validators=[
                    django.core.validators.MinValueValidator(0),
                    django.core.validators.MaxValueValidator(100),
                ],
                verbose_name="required pass rate",
            ),
        ),
        migrations.AddField(
            model_name="revision",
            name="version",
            field=models.PositiveIntegerField(default=1, editable=False),
        ),
        migrations.AddConstraint(
            model_name="revision",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("required_pass_rate__isnull", True),
                    models.Q(("required_pass_rate__gte", 0), ("required_pass_rate__lte", 100)),
                    _connector="OR",
                ),
                name="required_pass_rate_is_a_percentage",
            ),
        ),
        migrations.RunSQL(_frozen(_NOW), _frozen(_BEFORE)),
    ]
