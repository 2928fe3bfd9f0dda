"""Measurements that print a table: `make bench`. Ratios are taken side by side in one run; nothing is asserted."""
