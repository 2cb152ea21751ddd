"""Test whether OpenGL works, before VTK is imported: without OpenGL VTK ends the process instead of raising.

The test runs in a child process, since a broken driver may crash or hang when it is queried. The child runs this file,
so only the standard library is imported here.

    offscreen() -> name of the VTK window class for pictures, "" for that of the system, None without OpenGL
    is_software() -> whether that OpenGL runs on the processor, without a graphics card
    window_fault() -> "" if a window can open, else the reason
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from functools import lru_cache
from typing import Any

_PATIENCE = 20.0  # s
_EGL, _OSMESA = "vtkEGLRenderWindow", "vtkOSOpenGLRenderWindow"
_SOFTWARE = " by the processor"
_NATIVE = ("win32", "darwin")  # OpenGL is part of these systems


def offscreen() -> str | None:
    """The window class with which VTK can draw pictures."""
    if sys.platform in _NATIVE:
        return ""
    found = _offscreen_answer().removesuffix(_SOFTWARE)
    return found if found in (_EGL, _OSMESA) else None


def is_software() -> bool:
    """Whether pictures by OpenGL are computed by the processor."""
    return sys.platform not in _NATIVE and _offscreen_answer().endswith(_SOFTWARE)


@lru_cache(maxsize=1)
def _offscreen_answer() -> str:
    return _answer_of("offscreen")


def window_fault() -> str:
    """Reason why no window can open; empty if one can."""
    if sys.platform in _NATIVE:
        return ""
    if not os.environ.get("DISPLAY"):
        if os.environ.get("WAYLAND_DISPLAY"):
            return "the window needs an X display (Xwayland), and DISPLAY is not set"
        return "there is no screen: DISPLAY is not set"
    found = _answer_of("window")
    if found == "ok":
        return ""
    return found or f"the display '{os.environ['DISPLAY']}' does not respond"


def _answer_of(question: str) -> str:
    """The output of a child process; empty if it crashed, hung or could not be started."""
    try:
        child = subprocess.run(
            [sys.executable, "-I", "-S", __file__, question],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_PATIENCE,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return child.stdout.decode(errors="replace").strip() if child.returncode == 0 else ""


def _offscreen_here() -> str:
    try:
        device = _egl_device_with_context(ctypes.CDLL("libEGL.so.1"))
        if device is not None:
            return _EGL + device
    except OSError:
        pass
    for name in ("libOSMesa.so.8", "libOSMesa.so.6", "libOSMesa.so"):
        try:
            ctypes.CDLL(name)
        except OSError:
            continue
        return _OSMESA + _SOFTWARE
    return ""


def _egl_device_with_context(egl: Any) -> str | None:
    """The first EGL device with a context of desktop OpenGL 3.2, which VTK needs: "" for a graphics card, `_SOFTWARE`
    for the processor; None if there is none."""
    pointer, integers = ctypes.c_void_p, ctypes.POINTER(ctypes.c_int)
    egl.eglGetProcAddress.restype = pointer
    addresses = [egl.eglGetProcAddress(name) for name in (b"eglQueryDevicesEXT", b"eglGetPlatformDisplayEXT")]
    if not all(addresses):
        return None
    query = ctypes.CFUNCTYPE(ctypes.c_uint, ctypes.c_int, ctypes.POINTER(pointer), integers)(addresses[0])
    display_of = ctypes.CFUNCTYPE(pointer, ctypes.c_uint, pointer, pointer)(addresses[1])
    egl.eglInitialize.argtypes = [pointer] * 3
    egl.eglChooseConfig.argtypes = [pointer, integers, ctypes.POINTER(pointer), ctypes.c_int, integers]
    egl.eglCreateContext.argtypes = [pointer, pointer, pointer, integers]
    egl.eglCreateContext.restype = pointer
    devices, count = (pointer * 16)(), ctypes.c_int(0)
    query(16, devices, ctypes.byref(count))
    for device in devices[: count.value]:
        display = display_of(0x313F, device, None)  # EGL_PLATFORM_DEVICE_EXT
        if not display or not egl.eglInitialize(display, None, None):
            continue
        egl.eglBindAPI(0x30A2)  # EGL_OPENGL_API
        config, found = pointer(), ctypes.c_int(0)
        # Surface: pbuffer; renderable: OpenGL.
        wanted = (ctypes.c_int * 5)(0x3033, 0x0001, 0x3040, 0x0008, 0x3038)
        if not egl.eglChooseConfig(display, wanted, ctypes.byref(config), 1, ctypes.byref(found)) or not found.value:
            continue
        version = (ctypes.c_int * 5)(0x3098, 3, 0x30FB, 2, 0x3038)
        if egl.eglCreateContext(display, config, None, version):
            return _SOFTWARE if b"EGL_MESA_device_software" in _extensions(egl, device) else ""
    return None


def _extensions(egl: Any, device: Any) -> bytes:
    """Extensions of an EGL device."""
    address = egl.eglGetProcAddress(b"eglQueryDeviceStringEXT")
    if not address:
        return b""
    ask = ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_void_p, ctypes.c_int)(address)
    return ask(device, 0x3055) or b""  # EGL_EXTENSIONS


def _window_here() -> str:
    try:
        x11, gl = ctypes.CDLL("libX11.so.6"), ctypes.CDLL("libGL.so.1")
    except OSError as error:
        return f"a library for windows is missing ({error})"
    x11.XOpenDisplay.restype = ctypes.c_void_p
    display = x11.XOpenDisplay(None)
    if not display:
        return ""
    gl.glXQueryExtension.argtypes = [ctypes.c_void_p] * 3
    if not gl.glXQueryExtension(display, ctypes.byref(ctypes.c_int()), ctypes.byref(ctypes.c_int())):
        return "the display has no OpenGL (GLX)"
    return "ok"


if __name__ == "__main__":
    sys.stdout.write(_window_here() if sys.argv[1:] == ["window"] else _offscreen_here())
    sys.stdout.flush()
    os._exit(0)  # without the exit handlers of the drivers, some of which crash
