"""Django's settings, from :mod:`agentapp.config`. Nothing is started here."""

from typing import Any

from django.templatetags.static import static
from django.utils.translation import gettext_lazy as _

from agentapp.config import REPOSITORY, get_config
from agentapp.database import django_database
from agentapp.logs import logging_settings
from agentapp.mail import mail_settings

CONFIG = get_config()
BASE_DIR = REPOSITORY
SITE_NAME = CONFIG.site_name
DEMO = CONFIG.demo
#: The sample business app comes with the demonstration.
BILLING_EXAMPLE = DEMO
DEMO_SEED_COMMAND = "seed_demo"
#: Returns (e-mail, password, role) of each sign-in, to be printed at start.
DEMO_SIGN_INS = "examples.billing.demo.sign_ins"

DEBUG = CONFIG.debug
SECRET_KEY = CONFIG.signing_key
ALLOWED_HOSTS = list(CONFIG.allowed_hosts)
CSRF_TRUSTED_ORIGINS = list(CONFIG.csrf_trusted_origins)

INSTALLED_APPS = [
    "unfold",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "channels",
    "django_htmx",
    "guardian",
    "ninja",
    "procrastinate.contrib.django",
    "agentapp",
    "accounts",
    "activities",
    "runs",
]
if BILLING_EXAMPLE:
    INSTALLED_APPS.append("examples.billing")

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "agentapp.middleware.ContentSecurityPolicyMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "agentapp.middleware.BodyLimitMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "accounts.middleware.UserLocaleMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]

ROOT_URLCONF = "agentapp.urls"
ASGI_APPLICATION = "agentapp.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "django.template.context_processors.i18n",
                "agentapp.context_processors.site",
            ],
        },
    }
]

DATABASES = {"default": django_database(CONFIG)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "guardian.backends.ObjectPermissionBackend",
]
ANONYMOUS_USER_NAME = None
LOGIN_URL = "accounts:sign_in"
LOGIN_REDIRECT_URL = "chat:home"
LOGOUT_REDIRECT_URL = "accounts:sign_in"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]

LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("fr", _("French"))]
LOCALE_PATHS = [BASE_DIR / "locale"]
TIME_ZONE = "UTC"
USE_TZ = True
FORMAT_MODULE_PATH = ["agentapp.formats"]

STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = CONFIG.var_dir / "static"
STATIC_STORAGE = "whitenoise.storage.CompressedManifestStaticFilesStorage"
STORAGES: dict[str, dict[str, Any]] = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage" if DEBUG else STATIC_STORAGE
    },
}
WHITENOISE_USE_FINDERS = DEBUG

CHANNEL_LAYERS: dict[str, dict[str, Any]] = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}
if CONFIG.redis_url:
    CHANNEL_LAYERS["default"] = {
        "BACKEND": "channels_redis.core.RedisChannelLayer",
        "CONFIG": {"hosts": [CONFIG.redis_url.get_secret_value()]},
    }

#: Set: notifications travel through the channel layer; empty: through PostgreSQL.
REDIS_URL = CONFIG.redis_url.get_secret_value() if CONFIG.redis_url else ""

globals().update(mail_settings(CONFIG))
DEFAULT_FROM_EMAIL = CONFIG.email_from
SERVER_EMAIL = CONFIG.email_from

SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "agentapp.failures.csrf_failure"
SESSION_COOKIE_SECURE = CONFIG.secure_cookies
CSRF_COOKIE_SECURE = CONFIG.secure_cookies
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_HSTS_SECONDS = 31_536_000 if CONFIG.https else 0
X_FRAME_OPTIONS = "DENY"
#: How many addresses of X-Forwarded-For, from its end, were written by proxies of ours.
TRUSTED_PROXIES = CONFIG.trusted_proxies
if CONFIG.behind_proxy:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

DATA_UPLOAD_MAX_MEMORY_SIZE = 2_621_440
DATA_UPLOAD_MAX_NUMBER_FIELDS = 1_000
FILE_UPLOAD_MAX_MEMORY_SIZE = 2_621_440

OPENAI_BASE_URL = CONFIG.openai_base_url.get_secret_value() if CONFIG.openai_base_url else None
OPENAI_API_KEY = CONFIG.openai_api_key.get_secret_value() if CONFIG.openai_api_key else None
OPENAI_MODEL = CONFIG.openai_model
OPENAI_TIMEOUT_SECONDS = CONFIG.openai_timeout_seconds
MODEL_FALLBACK = CONFIG.model_fallback

#: How many tools of a step are sent without a search, how many a search sends, and how it searches.
DISCOVERY_ALL_BELOW = CONFIG.discovery_all_below
DISCOVERY_GROUP_UP_TO = CONFIG.discovery_group_up_to
DISCOVERY_SHOWN = CONFIG.discovery_shown
DISCOVERY_EXACT_UP_TO = CONFIG.discovery_exact_up_to
EMBEDDINGS_BASE_URL = CONFIG.embeddings_base_url.get_secret_value() if CONFIG.embeddings_base_url else None
EMBEDDINGS_API_KEY = CONFIG.embeddings_api_key.get_secret_value() if CONFIG.embeddings_api_key else None
EMBEDDINGS_MODEL = CONFIG.embeddings_model
EMBEDDINGS_DIMENSIONS = CONFIG.embeddings_dimensions
SECOND_ENCODER = CONFIG.second_encoder

WORKER_CONCURRENCY = CONFIG.worker_concurrency
#: How long a confirmation waits for a decision, in seconds.
CONFIRMATION_SECONDS = CONFIG.confirmation_seconds
#: How long an escalation may wait for a decision before it is overdue, in hours.
ESCALATION_HOURS = CONFIG.escalation_hours
#: Programs that may be started as MCP servers, and private hosts that they may be at.
MCP_COMMANDS = CONFIG.mcp_commands
MCP_PRIVATE_HOSTS = CONFIG.private_hosts
VAR_DIR = CONFIG.var_dir

LOGGING = logging_settings(CONFIG.log_level)
UNFOLD = {
    "SITE_TITLE": SITE_NAME,
    "SITE_HEADER": SITE_NAME,
    "SITE_SYMBOL": "handshake",
    "SITE_FAVICONS": [
        {"rel": "icon", "type": "image/svg+xml", "href": lambda request: static("img/mandate.svg")}
    ],
    # The green of the site's own pages.
    "COLORS": {
        "primary": {
            "50": "#effaf5", "100": "#d8f2e6", "200": "#b4e4d0", "300": "#83cfb3", "400": "#4fb491",
            "500": "#35a985", "600": "#1f6f58", "700": "#1d5c4a", "800": "#174a3c", "900": "#133d32",
            "950": "#0a231d",
        }
    },
}  # fmt: skip
