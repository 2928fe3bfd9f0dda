"""What can be wrong with an embedder, as a code that is kept and a sentence somebody can act on."""

from django.utils.translation import gettext_lazy as _

from activities.discovery.embedder import EmbedderUnavailable

UNREACHABLE = "unreachable"
TIMEOUT = "timeout"
UNAUTHORISED = "unauthorised"
NOT_FOUND = "not_found"
LIMITED = "limited"
REFUSED = "refused"
FAILED = "failed"
NOT_EMBEDDINGS = "not_embeddings"
DIMENSIONS = "dimensions"
NOT_NUMBERS = "not_numbers"
NOT_LOADED = "not_loaded"

_SENTENCES = {
    UNREACHABLE: _(
        "The embeddings endpoint cannot be reached. Check that it runs, and that EMBEDDINGS_BASE_URL is its "
        "address."
    ),
    TIMEOUT: _("The embeddings endpoint did not answer in time. Check its load."),
    UNAUTHORISED: _(
        "The embeddings endpoint does not accept the key. Set EMBEDDINGS_API_KEY to one that it accepts."
    ),
    NOT_FOUND: _(
        "The embeddings endpoint knows no such model or address. Set EMBEDDINGS_MODEL to a model it serves, "
        "and EMBEDDINGS_BASE_URL to its address up to and including /v1."
    ),
    LIMITED: _("The embeddings endpoint takes no more requests for now. Raise the limits of its account."),
    REFUSED: _("The embeddings endpoint does not accept the request. The log has its words."),
    FAILED: _("The embeddings endpoint failed. Check the endpoint at EMBEDDINGS_BASE_URL."),
    NOT_EMBEDDINGS: _(
        "What answers at EMBEDDINGS_BASE_URL is no embeddings endpoint. Set it to the address up to and "
        "including /v1."
    ),
    DIMENSIONS: _(
        "The embeddings endpoint gives vectors of %(found)s numbers. Set EMBEDDINGS_DIMENSIONS to it, or "
        "EMBEDDINGS_MODEL to the model that was meant."
    ),
    NOT_NUMBERS: _(
        "The embeddings endpoint gives vectors that hold no usable numbers. Set EMBEDDINGS_MODEL to another "
        "model."
    ),
    NOT_LOADED: _("The built-in sentence encoder could not be loaded. Install the packages again."),
}


def trouble(code: str, found: object = "") -> EmbedderUnavailable:
    """Return the error to raise for `code`. `found` is what was there instead of what was expected."""
    kept = f"{code}:{found}" if found != "" else code
    return EmbedderUnavailable(sentence(kept), trouble=kept)


def code_of(error: EmbedderUnavailable) -> str:
    """Return what is kept of an error."""
    return str(error.data.get("trouble", NOT_LOADED))


def sentence(kept: str) -> str:
    """Return the sentence for what was kept, in the reader's language."""
    code, _colon, found = kept.partition(":")
    return str(_SENTENCES.get(code, _SENTENCES[FAILED])) % {"found": found}
