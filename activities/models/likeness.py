"""The meaning of cards' texts as vectors, to tell which cards are nearly the same: drafts' as well."""

from django.db import models
from django.utils.translation import gettext_lazy as _
from pgvector.django import HalfVectorField


class TextVector(models.Model):
    """One text and its unit vector, empty until it is made. `embedder` names the model that made it."""

    digest = models.CharField(max_length=64, primary_key=True)
    text = models.TextField()
    embedder = models.CharField(max_length=200, blank=True)
    vector = HalfVectorField(null=True)

    class Meta:
        verbose_name = _("vector of a text")
        verbose_name_plural = _("vectors of texts")

    def __str__(self) -> str:
        return self.text[:60]
