"""Stress of flexible bodies over a run: envelope, hot spots, rainflow counts and damage.

Stress at a point is sigma = sum of shapes_k a_k(t) with the amplitudes a_k of the rows of a result (`field`).
`envelope` takes the largest over all rows, `hot_spots` the places, `rainflow` and `sn_line` what they mean for fatigue.
"""
