"""Answers' text in pages."""

from django import template
from django.utils.safestring import SafeString

from agentapp.kernel.sanitise import markdown_html

register = template.Library()


@register.filter
def markdown(text: str) -> SafeString:
    """Markdown as safe HTML, through the one sanitising path."""
    return markdown_html(text)
