"""The site's addresses."""

from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

from accounts import views
from agentapp.api import api
from agentapp.health import healthz

urlpatterns = [
    path("healthz", healthz, name="healthz"),
    # The administration's own sign-in and password pages count no guesses and leave no record.
    path("admin/login/", views.admin_sign_in),
    path("admin/logout/", views.sign_out),
    path("admin/password_change/", RedirectView.as_view(pattern_name="accounts:profile")),
    path("admin/", admin.site.urls),
    path("api/v1/", api.urls),
    path("accounts/", include("accounts.urls")),
    path("i18n/", include("django.conf.urls.i18n")),
    path("", include("runs.chat.urls")),
]

handler400 = "agentapp.failures.bad_request"
handler403 = "agentapp.failures.permission_denied"
handler404 = "agentapp.failures.page_not_found"
handler500 = "agentapp.failures.server_error"
