"""What every page's template may use."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest


def site(request: HttpRequest) -> dict[str, Any]:
    """``SITE_NAME``, and ``DEMO`` so that a page can say that its data is invented."""
    return {"SITE_NAME": settings.SITE_NAME, "DEMO": settings.DEMO}
