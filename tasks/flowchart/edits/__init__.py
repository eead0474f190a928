"""The edits of SaCLIP Sec. 3.2 on a chart, and how they are drawn.

The makers use them once for the tables, their `sample` functions per batch in training. An edit is a plan on the
graph (which nodes change places, which arrows turn, move or go), so that its cost is microseconds until a picture is
asked for.
"""
