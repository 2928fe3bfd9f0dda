"""Trials: runs of any revision, also of a draft, without effect outside; and evaluations made of them."""
