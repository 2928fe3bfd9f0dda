"""Steps may be open to a part of the catalogue; what was searched for a run is its record of what was shown."""

from importlib import import_module

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.manager
from django.db import migrations, models

import agentapp.kernel.ids

_OPENING = "activities_stepopening"
_PATH = (
    "SELECT a.revision_id FROM activities_activity a"
    " JOIN activities_step s ON s.activity_id = a.id WHERE s.id = r.step_id"
)
_guard = import_module("activities.migrations.0002_published_is_frozen")._guard


class Migration(migrations.Migration):

    dependencies = [
        ('activities', '0009_mcp_servers'),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='discoverylog',
            options={'base_manager_name': 'whole', 'verbose_name': 'discovery log entry', 'verbose_name_plural': 'discovery log'},
        ),
        migrations.AlterModelManagers(
            name='discoverylog',
            managers=[
                ('objects', django.db.models.manager.Manager()),
                ('whole', django.db.models.manager.Manager()),
            ],
        ),
        migrations.AddField(
            model_name='discoverycandidate',
            name='contract_hash',
            field=models.CharField(blank=True, max_length=64),
        ),
        migrations.AddField(
            model_name='discoverylog',
            name='agents',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=64), default=list, help_text='The agents whose activities took part.', size=None),
        ),
        migrations.AddField(
            model_name='discoverylog',
            name='degraded',
            field=models.TextField(blank=True, help_text='What the search had to do without.'),
        ),
        migrations.AddField(
            model_name='discoverylog',
            name='model_call_id',
            field=models.UUIDField(help_text='The round in which the model asked for it; empty: made by code.', null=True),
        ),
        migrations.AddField(
            model_name='discoverylog',
            name='step_id',
            field=models.UUIDField(help_text="The run's step, of a search for tools.", null=True),
        ),
        migrations.AddField(
            model_name='discoverylog',
            name='trial',
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name='evaluationresult',
            name='missed_tools',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=100), blank=True, default=list, help_text='Tools of expected calls that a step was open to and no search showed.', size=None),
        ),
        migrations.CreateModel(
            name='StepOpening',
            fields=[
                ('id', models.UUIDField(default=agentapp.kernel.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('position', models.PositiveIntegerField(default=0)),
                ('kind', models.CharField(choices=[('tag', 'tag'), ('group', 'tool group'), ('server', 'MCP server')], max_length=6)),
                ('value', models.CharField(max_length=100)),
                ('raised_risk', models.CharField(blank=True, choices=[('medium', 'medium'), ('high', 'high')], max_length=6)),
                ('always_confirm', models.BooleanField(default=False)),
                ('step', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='openings', to='activities.step')),
            ],
            options={
                'verbose_name': 'opening',
                'verbose_name_plural': 'openings',
                'ordering': ['position'],
                'constraints': [models.UniqueConstraint(fields=('step', 'kind', 'value'), name='opening_once_per_step'), models.CheckConstraint(condition=models.Q(('kind__in', ['tag', 'group', 'server'])), name='opening_kind_is_known')],
            },
        ),
        migrations.RunSQL(
            _guard(_OPENING, _PATH),
            f"DROP TRIGGER {_OPENING}_frozen ON {_OPENING}; DROP FUNCTION {_OPENING}_frozen();",
        ),
    ]
