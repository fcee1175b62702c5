"""What a file is, told by its name and its first bytes: a program of which platform, or none.

Names come first, since a library holds tens of thousands of files; the first bytes settle what a name leaves open.
Formats: ELF (System V ABI, chapter 4), PE (Microsoft PE/COFF), Mach-O (mach-o/loader.h, mach-o/fat.h).
"""

import re
import struct
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import Enum, StrEnum, auto
from typing import Self

HEAD_SIZE = 1024
"""Bytes from the beginning of a file that tell its format."""


class Platform(StrEnum):
    """Where a program runs (interface, 2.7)."""

    WINDOWS = "Windows"
    LINUX = "Linux"
    MACOS = "macOS"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a platform's name in whatever case. Raises ValueError with a sentence for a person."""
        for platform in cls:
            if platform.casefold() == text.strip().casefold():
                return platform
        raise ValueError(f"There is no platform {text!r}. Choose Windows, Linux or macOS.")


_ELF_HEADER = 52
_MZ_HEADER = 64
_MZ_FARTHEST = 0x10000
_PE_LIBRARY = 0x2000
_JAVA_1 = 45


class Format(Enum):
    """What the first bytes say."""

    WINDOWS = auto()
    DOS = auto()
    LINUX = auto()
    MACOS = auto()
    SCRIPT = auto()
    OTHER = auto()


@dataclass(frozen=True, slots=True)
class Program:
    """A file that can be started. `dated` ones need a DOS or a 16-bit Windows."""

    platform: Platform
    dated: bool = False


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_LINUX_SUFFIXES = _set("run appimage bin linux elf x86_64 x86 x64 amd64 i386 i686 arm64 aarch64 armv7l")
_BINARIES = dict.fromkeys(_LINUX_SUFFIXES, Platform.LINUX) | {"exe": Platform.WINDOWS}
_PLAIN = dict.fromkeys(("bat", "cmd", "msi"), Platform.WINDOWS) | {"sh": Platform.LINUX, "command": Platform.MACOS}
_BY_SUFFIX = _BINARIES | _PLAIN
_INTERPRETED = _set("py pl rb lua tcl")
_LIBRARIES = _set("so dll dylib ocx sys drv ko o obj a lib la pyd node bundle framework")
_DATA = _set(
    "png jpg jpeg gif bmp tga dds webp svg ico icns psd xcf ttf otf woff woff2 fnt wav ogg oga mp3 flac opus mid "
    "xm mod it mp4 webm ogv avi bik bk2 wmv usm txt md rst rtf pdf html htm css js mjs ts map json xml yml yaml "
    "toml ini cfg conf config csv tsv po mo pot log nfo url lnk desktop plist strings nib manifest zip 7z rar gz "
    "xz bz2 zst tar tgz jar apk deb rpm dmg pkg iso cue cab msp class pyc pyo rpyc rpyb rpa rpy h c cc cpp hpp cs "
    "rs go java gd hlsl glsl frag vert shader fx spv pak pk3 pk4 vpk bsp mdl vtf vmt wad uasset uexp umap ubulk "
    "ucas utoc pck assets ress resource asset unity3d dat data db sqlite bank fsb wem bnk xnb fbx dae gltf glb "
    "mtl blend blk sav save ani cur pdb mdb debug sig asc sha256 md5 properties bak tmp"
)
_SUFFIX = re.compile(r"7z|[a-z][a-z0-9_]*")
_IN_BUNDLE = re.compile(r"(?:^|/)([^/]+)\.app/Contents/MacOS/[^/]+$")


def suffix_of(name: str) -> str:
    """The suffix in lower case without its dot, or none: `wesnoth-1.16` has none."""
    head, _, last = name.rpartition(".")
    folded = last.lower()
    return folded if head and _SUFFIX.fullmatch(folded) else ""


def stem_of(path: str) -> str:
    """The file's name without the suffix of a program: `usr/games/wesnoth-1.16` gives `wesnoth-1.16`."""
    name = path.rpartition("/")[2]
    suffix = suffix_of(name)
    return name[: -len(suffix) - 1] if suffix in _BY_SUFFIX or suffix in _INTERPRETED else name


def bundle_of(path: str) -> str | None:
    """The name of the application bundle whose program this is, by its place: `X.app/Contents/MacOS/…` gives `X`."""
    found = _IN_BUNDLE.search(path) if ".app/" in path else None
    return found[1] if found else None


def could_be_program(name: str, *, executable: bool) -> bool:
    """Whether a name can be a program's: not hidden, no library, no data, no unknown suffix without the bit."""
    suffix = suffix_of(name)
    if name.startswith(".") or suffix in _LIBRARIES or suffix in _DATA or ".so." in name:
        return False
    return executable or not suffix or suffix in _BY_SUFFIX


def says_too_little(path: str, *, executable: bool) -> bool:
    """Whether the first bytes must tell if this is a program, and of which platform."""
    name = path.rpartition("/")[2]
    return suffix_of(name) not in _PLAIN and could_be_program(name, executable=executable)


def identify(path: str, *, executable: bool, head: bytes | None) -> Program | None:
    """What the file starts as, or None. `head`: its first HEAD_SIZE bytes, None where they were not read."""
    name = path.rpartition("/")[2]
    if not could_be_program(name, executable=executable):
        return None
    suffix = suffix_of(name)
    told = Platform.MACOS if bundle_of(path) and suffix not in _BINARIES else _BY_SUFFIX.get(suffix)
    if suffix in _PLAIN or head is None:
        return Program(told) if told and suffix != "bin" else None
    return _settled(format_of(head), told=told)


def _settled(form: Format, *, told: Platform | None) -> Program | None:
    match form:
        case Format.OTHER:
            return None
        case Format.SCRIPT:
            return Program(told or Platform.LINUX)
        case Format.DOS:
            return Program(Platform.WINDOWS, dated=True)
        case _:
            return Program(Platform[form.name])


def format_of(head: bytes) -> Format:
    """Tell programs from libraries, objects and everything else by the first bytes."""
    if head[:2] == b"#!":
        return Format.SCRIPT
    if head[:4] == b"\x7fELF":
        return _elf(head)
    if head[:2] == b"MZ":
        return _executable_header(head)
    return _mach_o(head)


def _elf(head: bytes) -> Format:
    """A library has the type of a position-independent program but, as linkers write it, no entry point."""
    if len(head) < _ELF_HEADER:
        return Format.OTHER
    order = ">" if head[5:6] == b"\2" else "<"
    kind, entry = struct.unpack_from(order + ("H6xQ" if head[4:5] == b"\2" else "H6xI"), head, 16)
    return Format.LINUX if kind in (2, 3) and entry else Format.OTHER


def _executable_header(head: bytes) -> Format:
    if len(head) < _MZ_HEADER:
        return Format.DOS
    (table,), (newer,) = struct.unpack_from("<H", head, 24), struct.unpack_from("<I", head, 60)
    if head[newer : newer + 4] == b"PE\0\0":
        flags = int.from_bytes(head[newer + 22 : newer + 24], "little")
        return Format.OTHER if flags & _PE_LIBRARY else Format.WINDOWS
    unseen = len(head) < newer + 4 < _MZ_FARTHEST and table >= _MZ_HEADER
    return Format.WINDOWS if unseen else Format.DOS


def _mach_o(head: bytes) -> Format:
    """A fat file begins like a Java class, which has its version where the number of slices stands."""
    magic = head[:4]
    if magic in (b"\xca\xfe\xba\xbe", b"\xca\xfe\xba\xbf"):
        return Format.MACOS if 0 < int.from_bytes(head[4:8], "big") < _JAVA_1 else Format.OTHER
    if magic in (b"\xce\xfa\xed\xfe", b"\xcf\xfa\xed\xfe"):
        return Format.MACOS if head[12:16] == b"\2\0\0\0" else Format.OTHER
    if magic in (b"\xfe\xed\xfa\xce", b"\xfe\xed\xfa\xcf"):
        return Format.MACOS if head[12:16] == b"\0\0\0\2" else Format.OTHER
    return Format.OTHER


SETUP_WORDS = frozenset(("setup", "install", "installer"))
_SETUP_WEIGHT = 0.8
_ASIDE = _set(
    "editor config configure configuration settings options benchmark test tests tool tools update updater"
) | _set("patch patcher debug sdk register registration activation diagnostics compiler modkit")
_ASIDE_WEIGHTS = dict.fromkeys(_ASIDE, 0.5) | dict.fromkeys(("server", "srv", "dedicated"), 0.4)
_INTERPRETED_WEIGHT = 0.8
_FOREIGN_WEIGHT = 0.8
_SMALLER_WEIGHT = 0.95
_FOREIGN = re.compile(r"aarch64|arm64|armhf|armv\d|(?<![a-z])arm(?![a-z])")
_SMALLER = re.compile(r"(?<![a-z0-9])(?:x86(?![_-]?64)|x32|i[3-6]86|(?:win|linux|bin)?32(?:bits?)?)(?![a-z0-9])")
_NEVER = re.compile(
    r"^unins\d*$|uninst(?:all)?|redist|^dx(?:web)?setup|^directx|^dotnet|^ndp\d|netfx|prereq|^oalinst|^physx|^xnafx"
    r"|^vulkanrt|webview2|(?:crash|error|bug)(?:hand|rep|pad|send|upload|dump|splat|monitor)|^bssndrpt|createdump|minidump"
    r"|^easyanticheat|^battleye|^beservice|helper|subprocess|webengineprocess|gameoverlay|chromesandbox"
    r"|^(?:pythonw?\d*|perl|lua|node|7z[agr]?\d*|(?:un)?zip|(?:un)?rar|wget|curl|aria2c|ffmpeg|ffprobe|xdelta3?)$"
    r"|^(?:zsync(?:make)?|elevate|squirrel|chromedriver|nwjc|gdb(?:server)?|xdg(?:open|utils)|yad|zenity|touchup|cleanup)$"
    r"|^(?:pre|post)(?:inst|rm)$"
)
_NEVER_FOLDERS = re.compile(
    r"(?:^|/)(?:_?common_?redist|_?redist(?:ributables?)?|vc_?redist|directx\d*|dotnet|easyanticheat|battleye|__installer"
    r"|prerequisites|__macosx)/",
    re.IGNORECASE,
)
_SEPARATORS = re.compile(r"[\W_]+")


def never_the_game(path: str, *, title: str) -> bool:
    """Whether name or folder tell that this is not the game: uninstallers, redistributables, crash handlers, tools.

    `title`: the game's, its words joined; what stands in it tells nothing.
    """
    found = _NEVER.search(_SEPARATORS.sub("", stem_of(path).lower()))
    return bool(found and found[0] not in title) or bool(_NEVER_FOLDERS.search(path))


def role_weight(words: Iterable[str], path: str, *, title: Collection[str]) -> float:
    """How much less than the game itself its server, editor or set-up, or a build for other processors, is worth."""
    words, suffix, folded = set(words), suffix_of(path.rpartition("/")[2]), path.lower()
    weight = min((_ASIDE_WEIGHTS.get(word, 1.0) for word in words.difference(title)), default=1.0)
    if suffix == "msi" or not SETUP_WORDS.isdisjoint(words):
        weight *= _SETUP_WEIGHT
    if suffix in _INTERPRETED:
        weight *= _INTERPRETED_WEIGHT
    if _FOREIGN.search(folded):
        return weight * _FOREIGN_WEIGHT
    return weight * _SMALLER_WEIGHT if _SMALLER.search(folded) else weight
