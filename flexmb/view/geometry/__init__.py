"""Surfaces of what has no mesh: beams, rigid bodies, joints, springs and ground, as closed triangles for pictures."""
