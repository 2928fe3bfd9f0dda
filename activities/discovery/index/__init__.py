"""The cards of the catalogue as rows: how they are made, kept up and searched."""

from activities.discovery.index.upkeep import refresh

__all__ = ["refresh"]
