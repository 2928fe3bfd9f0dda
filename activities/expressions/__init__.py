"""What a condition says, before it is evaluated: its syntax tree, and whether its types fit.

The evaluator (`activities.conditions`) has no tree to offer and finds a wrong type only when it meets one.
"""
