"""Build hook: a wheel carries the kernels as machine code, so that nothing is compiled after installation.

Editable installs, source distributions and platforms without a library are left alone: kernels are then compiled on
first use. `flexmb/machine_code/build.py` does the work.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from packaging.tags import platform_tags


class KernelHook(BuildHookInterface):
    """Compile all kernels and add the libraries to the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling before the wheel is written."""
        if version == "editable" or self.target_name != "wheel":
            return
        sys.path.insert(0, self.root)
        from flexmb.machine_code.build import build
        from flexmb.machine_code.library import FOLDER, levels

        if not levels():
            self.app.display_info("flexmb: kernels are compiled on first use on this platform")
            return
        self._place = tempfile.TemporaryDirectory(prefix="flexmb-wheel-")
        try:
            built = build(Path(self._place.name), tell=lambda line: self.app.display_info(f"flexmb: {line}"))
        except (OSError, RuntimeError) as error:
            self.app.display_warning(f"flexmb: {error}: kernels are compiled on first use")
            return
        for path in built.files:
            self.app.display_info(f"flexmb: {path.name}, {path.stat().st_size / 1e6:.1f} MB")
            build_data["force_include"][str(path)] = f"flexmb/{FOLDER.name}/{path.name}"
        build_data["pure_python"] = False
        # Any Python 3 can load it; manylinux tags are for wheels that were built on an old system on purpose.
        plain = next(tag for tag in platform_tags() if "manylinux" not in tag and "musllinux" not in tag)
        build_data["tag"] = f"py3-none-{plain}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Called by hatchling when the wheel is written."""
        if (place := getattr(self, "_place", None)) is not None:
            place.cleanup()
