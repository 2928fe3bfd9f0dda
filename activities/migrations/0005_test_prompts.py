"""Test prompts of an agent, and what came of running them."""

import agentapp.kernel.ids
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("activities", "0004_activity_chaining"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Evaluation",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=agentapp.kernel.ids.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("version", models.PositiveIntegerField(default=1)),
                ("model", models.CharField(blank=True, max_length=100)),
                ("started_at", models.DateTimeField(auto_now_add=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("problem", models.TextField(blank=True, help_text="Why it could not be finished.")),
                (
                    "revision",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="evaluations",
                        to="activities.revision",
                    ),
                ),
                (
                    "started_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "evaluation",
                "verbose_name_plural": "evaluations",
                "ordering": ["-id"],
            },
        ),
        migrations.CreateModel(
            name="EvaluationResult",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=agentapp.kernel.ids.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("position", models.PositiveIntegerField(default=0)),
                ("key", models.SlugField(max_length=64)),
                ("language", models.CharField(max_length=8)),
                ("text", models.TextField()),
                ("passed", models.BooleanField()),
                ("reason", models.TextField(blank=True)),
                ("activity_key", models.CharField(blank=True, max_length=64)),
                ("outcome", models.CharField(blank=True, max_length=24)),
                ("milliseconds", models.PositiveIntegerField(default=0)),
                ("run_id", models.UUIDField(null=True)),
                (
                    "evaluation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="results",
                        to="activities.evaluation",
                    ),
                ),
            ],
            options={
                "verbose_name": "evaluation result",
                "verbose_name_plural": "evaluation results",
                "ordering": ["position"],
            },
        ),
        migrations.CreateModel(
            name="EvaluationStep",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=agentapp.kernel.ids.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("position", models.PositiveIntegerField(default=0)),
                ("activity_key", models.CharField(blank=True, max_length=64)),
                ("key", models.CharField(max_length=64)),
                ("passed", models.BooleanField()),
                ("reason", models.TextField(blank=True)),
                (
                    "result",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="steps",
                        to="activities.evaluationresult",
                    ),
                ),
            ],
            options={
                "verbose_name": "evaluated step",
                "verbose_name_plural": "evaluated steps",
                "ordering": ["position"],
            },
        ),
        migrations.CreateModel(
            name="TestPrompt",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=agentapp.kernel.ids.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("key", models.SlugField(max_length=64)),
                ("position", models.PositiveIntegerField(default=0)),
                ("language", models.CharField(max_length=8)),
                ("text", models.TextField(verbose_name="request")),
                (
                    "expected_route",
                    models.CharField(
                        choices=[
                            ("activity", "an activity"),
                            ("unclear", "a question between activities"),
                            ("declined", "a refusal: nothing fits"),
                        ],
                        default="activity",
                        max_length=8,
                    ),
                ),
                (
                    "expected_outcome",
                    models.CharField(
                        choices=[
                            ("done", "done, or it would be done once confirmed"),
                            ("needs_input", "a question"),
                            ("nothing_to_do", "nothing to do"),
                            ("refused", "refused by a rule of the business"),
                            ("declined", "declined"),
                            ("escalated", "escalated"),
                            ("failed", "failed"),
                            ("stopped_by_guardrail", "stopped by a limit"),
                        ],
                        default="done",
                        max_length=24,
                    ),
                ),
                (
                    "expected_fields",
                    models.JSONField(
                        blank=True, default=list, help_text="The inputs that must be asked for, all of them."
                    ),
                ),
                (
                    "expected_inputs",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        help_text="Input values that must have been read; others may be too.",
                    ),
                ),
                ("note", models.TextField(blank=True)),
                (
                    "activity",
                    models.ForeignKey(
                        blank=True,
                        help_text="The activity it is kept with; empty for the agent as a whole.",
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="test_prompts",
                        to="activities.activityidentity",
                    ),
                ),
                (
                    "agent",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="test_prompts",
                        to="activities.agent",
                    ),
                ),
                (
                    "as_user",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "expected_activity",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="activities.activityidentity",
                    ),
                ),
            ],
            options={
                "verbose_name": "test prompt",
                "verbose_name_plural": "test prompts",
                "ordering": ["position", "key"],
            },
        ),
        migrations.CreateModel(
            name="ExpectedCall",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=agentapp.kernel.ids.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("position", models.PositiveIntegerField(default=0)),
                ("tool_key", models.CharField(max_length=100)),
                ("arguments", models.JSONField(blank=True, default=dict)),
                ("error_code", models.CharField(blank=True, max_length=40)),
                (
                    "prompt",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="expected_calls",
                        to="activities.testprompt",
                    ),
                ),
            ],
            options={
                "verbose_name": "expected call",
                "verbose_name_plural": "expected calls",
                "ordering": ["position"],
            },
        ),
        migrations.AddField(
            model_name="evaluationresult",
            name="prompt",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="results",
                to="activities.testprompt",
            ),
        ),
        migrations.AddConstraint(
            model_name="testprompt",
            constraint=models.UniqueConstraint(
                fields=("agent", "key"), name="test_prompt_key_once_per_agent"
            ),
        ),
        migrations.AddConstraint(
            model_name="evaluationresult",
            constraint=models.UniqueConstraint(
                fields=("evaluation", "key"), name="result_once_per_prompt_and_evaluation"
            ),
        ),
    ]
