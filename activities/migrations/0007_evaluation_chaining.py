"""An evaluation may be an experiment with declared intentions."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("activities", "0006_another_person_decides")]

    operations = [
        migrations.AddField(
            model_name="evaluation",
            name="chaining",
            field=models.BooleanField(null=True),
        ),
    ]
