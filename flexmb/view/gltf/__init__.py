"""glTF 2.0 files of a scene, for Blender, slides and the web."""

from flexmb.view.gltf.document import glb_bytes, write_glb

__all__ = ["glb_bytes", "write_glb"]
