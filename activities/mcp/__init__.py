"""MCP servers as sources of tools: read, reviewed, called.

`reading` brings a server's tools, `shapes` says what can be made of each, `contracts` makes a reviewed one a
tool contract, `source` gives these to the registry, `calling` carries one call out. Only `session`, `stdio`
and `address` know the protocol's SDK.
"""
