"""Advice on which package of a Linux distribution contains a library."""

import re
import shutil

# Libraries that native games need most often and that are not always installed, with their packages in Debian and Arch.
_PACKAGES = {
    "libSDL2-2.0.so.0": ("libsdl2-2.0-0", "sdl2"),
    "libSDL2_image-2.0.so.0": ("libsdl2-image-2.0-0", "sdl2_image"),
    "libSDL2_mixer-2.0.so.0": ("libsdl2-mixer-2.0-0", "sdl2_mixer"),
    "libSDL2_net-2.0.so.0": ("libsdl2-net-2.0-0", "sdl2_net"),
    "libSDL2_ttf-2.0.so.0": ("libsdl2-ttf-2.0-0", "sdl2_ttf"),
    "libSDL-1.2.so.0": ("libsdl1.2debian", "sdl12-compat"),
    "libGL.so.1": ("libgl1", "libglvnd"),
    "libGLU.so.1": ("libglu1-mesa", "glu"),
    "libX11.so.6": ("libx11-6", "libx11"),
    "libXcursor.so.1": ("libxcursor1", "libxcursor"),
    "libXrandr.so.2": ("libxrandr2", "libxrandr"),
    "libasound.so.2": ("libasound2", "alsa-lib"),
    "libc.so.6": ("libc6", "glibc"),
    "libcurl.so.4": ("libcurl4", "curl"),
    "libfuse.so.2": ("libfuse2", "fuse2"),
    "libopenal.so.1": ("libopenal1", "openal"),
    "libpulse.so.0": ("libpulse0", "libpulse"),
    "libstdc++.so.6": ("libstdc++6", "gcc-libs"),
    "libvorbisfile.so.3": ("libvorbisfile3", "libvorbis"),
    "libvulkan.so.1": ("libvulkan1", "vulkan-icd-loader"),
}
_WIDE = 64
# The name comes from a file of the game, and a player may copy the command to a shell.
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_.+-]+")


def package_advice(library: str, *, bits: int) -> str:
    """Return how to install a library, with the command if the package is known for this system's package manager."""
    debian, arch = _PACKAGES.get(library, ("", ""))
    if _PLAIN_NAME.fullmatch(library) and shutil.which("dnf"):
        # Fedora's packages can be named by what they contain.
        return f"Run: sudo dnf install '{library}{'()(64bit)' if bits == _WIDE else ''}'"
    if debian and shutil.which("apt-get"):
        foreign = "" if bits == _WIDE else "sudo dpkg --add-architecture i386 && sudo apt-get update && "
        return f"Run: {foreign}sudo apt-get install {debian}{'' if bits == _WIDE else ':i386'}"
    if arch and shutil.which("pacman"):
        return f"Run: sudo pacman -S {'' if bits == _WIDE else 'lib32-'}{arch}"
    return f"Install the package of your system that contains {library}{'' if bits == _WIDE else ' for 32 bits'}."
