"""Expected failures as the chat shows them: a sentence beside what was tried, or a page."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, cast

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.template.loader import render_to_string
from django_htmx.middleware import HtmxDetails

from accounts.models import User
from accounts.signin import to_sign_in
from agentapp.kernel.errors import MandateError, NotFound

Args = ParamSpec("Args")


class Request(HttpRequest):
    """What a view behind `edge` is given: the person is signed in, and htmx tells about itself."""

    user: User
    htmx: HtmxDetails


View = Callable[Concatenate[Request, Args], HttpResponseBase]
Guarded = Callable[Concatenate[HttpRequest, Args], HttpResponseBase]


def notice(message: str = "", *, target: str = "notice") -> str:
    """Return HTML that puts `message` where an error is read out; an empty one takes the last away."""
    return render_to_string("chat/notice.html", {"message": message, "target": target})


def edge(view: View[Args]) -> Guarded[Args]:
    """For signed-in people only; expected failures become a notice (htmx) or a page."""

    @wraps(view)
    def guarded(plain: HttpRequest, *args: Args.args, **kwargs: Args.kwargs) -> HttpResponseBase:
        request = cast(Request, plain)
        if not plain.user.is_authenticated:
            return to_sign_in(request)
        try:
            return view(request, *args, **kwargs)
        except NotFound as error:
            if request.htmx:
                return failed(error)
            raise Http404(str(error)) from error
        except MandateError as error:
            return failed(error) if request.htmx else _page(request, error)

    return guarded


def failed(error: MandateError, *more: str) -> HttpResponse:
    """Return the error as a notice, with `more` HTML that shows how things really stand."""
    return HttpResponse("\n".join([notice(str(error)), *more]), status=error.status)


def _page(request: Request, error: MandateError) -> HttpResponse:
    return render(request, "error.html", {"message": str(error), "code": error.status}, status=error.status)
