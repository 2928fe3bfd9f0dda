"""The chat's addresses."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path


def _home(request: HttpRequest) -> HttpResponse:
    return render(request, "chat/home.html")


app_name = "chat"
urlpatterns = [
    path("", _home, name="home"),
    path("runs/", _home, name="runs"),
]
