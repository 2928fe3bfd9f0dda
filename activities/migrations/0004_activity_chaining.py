"""Intention chaining is switched on activity by activity."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("activities", "0003_second_person_and_versions")]

    operations = [
        migrations.AddField(
            model_name="activity",
            name="chaining",
            field=models.BooleanField(
                default=False,
                help_text=(
                    "With each step's first action the agent declares what it does now and what comes next."
                ),
            ),
        ),
    ]
