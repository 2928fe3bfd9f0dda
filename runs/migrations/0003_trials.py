"""Trials: runs without effect outside, whose rows go with the draft they tried."""

import django.db.models.deletion
import runs.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("activities", "0005_test_prompts"),
        ("runs", "0002_failures_and_plans"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="conversation",
            name="trial",
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name="fact",
            name="simulated",
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name="run",
            name="trial",
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name="run",
            name="trial_by",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="toolcall",
            name="simulation",
            field=models.JSONField(
                help_text="Of a trial's call: the dialog, whether a person would be asked, where the result is from.",
                null=True,
            ),
        ),
        migrations.AlterField(
            model_name="run",
            name="activity",
            field=models.ForeignKey(
                null=True,
                on_delete=runs.models.deletion.protect_but_for_trials,
                related_name="runs",
                to="activities.activity",
            ),
        ),
        migrations.AlterField(
            model_name="run",
            name="outcome",
            field=models.CharField(
                blank=True,
                choices=[
                    ("succeeded", "succeeded"),
                    ("simulated", "tried out"),
                    ("nothing_to_do", "nothing to do"),
                    ("needs_input", "needs an answer"),
                    ("awaiting_confirmation", "awaits a confirmation"),
                    ("refused", "refused"),
                    ("declined", "declined"),
                    ("escalated", "escalated"),
                    ("failed", "failed"),
                    ("cancelled", "stopped"),
                    ("expired", "expired"),
                    ("stopped_by_guardrail", "stopped by a limit"),
                ],
                max_length=24,
            ),
        ),
        migrations.AlterField(
            model_name="run",
            name="revision",
            field=models.ForeignKey(
                null=True,
                on_delete=runs.models.deletion.protect_but_for_trials,
                related_name="runs",
                to="activities.revision",
            ),
        ),
        migrations.AlterField(
            model_name="runstep",
            name="step",
            field=models.ForeignKey(
                on_delete=runs.models.deletion.protect_but_for_trials, related_name="+", to="activities.step"
            ),
        ),
        migrations.AlterField(
            model_name="toolcall",
            name="state",
            field=models.CharField(
                choices=[
                    ("proposed", "proposed"),
                    ("awaiting", "awaiting confirmation"),
                    ("admitted", "admitted"),
                    ("executing", "executing"),
                    ("succeeded", "done"),
                    ("failed", "failed"),
                    ("refused", "refused"),
                    ("unknown", "outcome unknown"),
                    ("simulated", "simulated"),
                ],
                default="proposed",
                max_length=10,
            ),
        ),
    ]
