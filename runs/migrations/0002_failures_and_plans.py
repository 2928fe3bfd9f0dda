"""Named failures of the model, declared intentions, and several requests in one message."""

import django.db.models.deletion
from django.db import migrations, models

import agentapp.kernel.ids

_CASCADE = django.db.models.deletion.CASCADE


def _id():
    return models.UUIDField(
        default=agentapp.kernel.ids.uuid7, editable=False, primary_key=True, serialize=False
    )


def _row(target, *, related_name="failures", on_delete=django.db.models.deletion.SET_NULL, null=True):
    return models.ForeignKey(null=null, on_delete=on_delete, related_name=related_name, to=target)


class Migration(migrations.Migration):
    dependencies = [
        ("activities", "0004_activity_chaining"),
        ("runs", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="run",
            name="chaining",
            field=models.BooleanField(
                help_text="Whether the agent declares its intentions; empty: as the activity says.", null=True
            ),
        ),
        migrations.AddField(
            model_name="run",
            name="part",
            field=models.PositiveSmallIntegerField(
                help_text="Which part of its plan it carries out.", null=True
            ),
        ),
        migrations.AddField(
            model_name="run",
            name="words",
            field=models.TextField(
                blank=True, help_text="The part of the message it is about; empty: all of it."
            ),
        ),
        migrations.AddField(model_name="runstep", name="announced", field=models.TextField(blank=True)),
        migrations.AddField(
            model_name="runstep",
            name="declaration",
            field=models.CharField(
                blank=True,
                choices=[
                    ("given", "declared"),
                    ("unrelated", "declared something else"),
                    ("missing", "not declared"),
                ],
                max_length=10,
            ),
        ),
        migrations.CreateModel(
            name="Plan",
            fields=[
                ("id", _id()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "conversation",
                    _row("runs.conversation", related_name="plans", on_delete=_CASCADE, null=False),
                ),
            ],
            options={"verbose_name": "plan", "verbose_name_plural": "plans", "ordering": ["id"]},
        ),
        migrations.AddField(model_name="run", name="plan", field=_row("runs.plan", related_name="runs")),
        migrations.CreateModel(
            name="RunFailure",
            fields=[
                ("id", _id()),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("premature_end", "premature end"),
                            ("imagined_result", "imagined result"),
                            ("scope", "outside the step"),
                        ],
                        max_length=16,
                    ),
                ),
                ("detail", models.TextField(blank=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("call", _row("runs.toolcall")),
                ("model_call", _row("runs.modelcall")),
                ("run", _row("runs.run", on_delete=_CASCADE, null=False)),
                ("step", _row("runs.runstep", on_delete=_CASCADE)),
            ],
            options={
                "verbose_name": "failure of the model",
                "verbose_name_plural": "failures of the model",
                "ordering": ["id"],
            },
        ),
        migrations.CreateModel(
            name="PlanPart",
            fields=[
                ("id", _id()),
                ("position", models.PositiveSmallIntegerField()),
                ("words", models.TextField()),
                (
                    "needs",
                    models.PositiveSmallIntegerField(
                        help_text="The position of the part it builds on.", null=True
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("pending", "to come"),
                            ("started", "begun"),
                            ("held", "held"),
                            ("stopped", "stopped"),
                        ],
                        default="pending",
                        max_length=8,
                    ),
                ),
                (
                    "activity",
                    _row(
                        "activities.activity",
                        related_name="+",
                        on_delete=django.db.models.deletion.PROTECT,
                        null=False,
                    ),
                ),
                ("plan", _row("runs.plan", related_name="parts", on_delete=_CASCADE, null=False)),
            ],
            options={
                "verbose_name": "part of a plan",
                "verbose_name_plural": "parts of a plan",
                "ordering": ["position"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("state__in", ("pending", "held"))),
                        fields=["plan"],
                        name="plan_part_to_come",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("plan", "position"), name="plan_part_once_per_position")
                ],
            },
        ),
    ]
