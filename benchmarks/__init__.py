"""Measurements that print a table: `make bench`. Ratios are taken side by side; nothing is asserted."""
