"""The web server's entry: pages and the API over http, live updates over sockets."""

import os

from channels.auth import AuthMiddlewareStack
from channels.routing import ProtocolTypeRouter, URLRouter
from channels.security.websocket import AllowedHostsOriginValidator, WebsocketDenier
from django.core.asgi import get_asgi_application
from django.urls import re_path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "agentapp.settings")
os.environ.setdefault("DATABASE_POOL", "20")
django = get_asgi_application()  # loads the apps; what follows needs them

from agentapp.bodies import BoundedBodies  # noqa: E402
from agentapp.origin import SameOrigin  # noqa: E402
from runs.routing import websocket_urlpatterns  # noqa: E402

nowhere = re_path(r"", WebsocketDenier.as_asgi())
sockets = AuthMiddlewareStack(URLRouter([*websocket_urlpatterns, nowhere]))
application = ProtocolTypeRouter(
    {"http": BoundedBodies(django), "websocket": AllowedHostsOriginValidator(SameOrigin(sockets))}
)
