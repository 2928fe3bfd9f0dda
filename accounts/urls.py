"""The account pages' addresses."""

from django.urls import path

from accounts import views

app_name = "accounts"
urlpatterns = [
    path("sign-in/", views.sign_in, name="sign_in"),
    path("sign-out/", views.sign_out, name="sign_out"),
    path("profile/", views.profile, name="profile"),
    path("profile/save/", views.profile_update, name="profile_update"),
    path("profile/password/", views.password_change, name="password_change"),
    path("profile/tokens/", views.token_create, name="token_create"),
    path("profile/tokens/<uuid:token_id>/revoke/", views.token_revoke, name="token_revoke"),
    path("workspace/", views.workspace_switch, name="workspace_switch"),
]
