"""The one path from text to HTML: Markdown, then a strict allow-list.

No script, style, form, image, remote load or `hx-` attribute survives; links open only http(s) and mailto
addresses, without telling where they were clicked.
"""

import markdown
import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown.extensions.sane_lists import SaneListExtension
from markdown.extensions.tables import TableExtension

_TAGS = {
    "a", "blockquote", "br", "code", "dd", "del", "dl", "dt", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr",
    "li", "ol", "p", "pre", "strong", "sub", "sup", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
_ATTRIBUTES = {"a": {"href", "title"}, "ol": {"start"}, "td": {"align"}, "th": {"align"}}
_EXTENSIONS = [TableExtension(use_align_attribute=True), SaneListExtension()]
_CLEANER = nh3.Cleaner(
    tags=_TAGS,
    attributes=_ATTRIBUTES,
    clean_content_tags={"script", "style"},
    url_schemes={"http", "https", "mailto"},
    link_rel="noopener noreferrer nofollow",
    strip_comments=True,
)
MAX_CHARACTERS = 200_000


def markdown_html(text: str) -> SafeString:
    """Return `text`, Markdown with tables, as HTML that is safe to show. Longer texts are cut."""
    html = markdown.markdown(text[:MAX_CHARACTERS], extensions=_EXTENSIONS, output_format="html")
    return mark_safe(_CLEANER.clean(html))  # noqa: S308 - cleaned in this line
