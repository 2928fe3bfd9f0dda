"""Why the site cannot be served."""


class CannotServe(Exception):
    """One sentence for the operator: what is wrong and what to do."""
