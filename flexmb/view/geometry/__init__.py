"""Surfaces of bodies without a mesh: beams, rigid bodies, joints, springs and ground, as closed triangles."""
