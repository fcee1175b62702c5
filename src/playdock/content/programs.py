"""Detection of programs and their platforms by file name and first bytes.

Names are checked first, because a library contains tens of thousands of files; the first bytes are only needed if the
name is not conclusive. The formats are ELF (System V ABI, chapter 4), PE (Microsoft PE/COFF) and Mach-O
(mach-o/loader.h, mach-o/fat.h).
"""

import re
import struct
from collections.abc import Collection, Iterable
from enum import Enum, StrEnum, auto
from typing import Self

from msgspec import Struct

HEAD_SIZE = 1024
"""The number of bytes from the beginning of a file that show its format."""


class Platform(StrEnum):
    """The operating system of a program; the values are those of the HTTP interface."""

    WINDOWS = "Windows"
    LINUX = "Linux"
    MACOS = "macOS"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the platform with a name in any case.

        Raises:
            ValueError: there is none; the message is suitable for users.
        """
        for platform in cls:
            if platform.casefold() == text.strip().casefold():
                return platform
        raise ValueError(f"Unknown platform {text!r}. Choose Windows, Linux or macOS.")


# The size of the smaller (32-bit) ELF header and of the MZ header in bytes.
_ELF_HEADER = 52
_MZ_HEADER = 64
# A larger offset of the PE header in an MZ header is not plausible and belongs to a DOS program.
_MAX_PE_OFFSET = 0x10000
# The flag of libraries in the characteristics of a PE file.
_PE_LIBRARY = 0x2000
# The class file version of Java 1.0; universal binaries contain far fewer architectures.
_MIN_JAVA_VERSION = 45


_ELF = b"\x7fELF"
_UNIVERSAL = (b"\xca\xfe\xba\xbe", b"\xca\xfe\xba\xbf")
_MACH_O_LITTLE = (b"\xce\xfa\xed\xfe", b"\xcf\xfa\xed\xfe")
_MACH_O_BIG = (b"\xfe\xed\xfa\xce", b"\xfe\xed\xfa\xcf")
_MACHINE_CODE = (_ELF, b"MZ", *_UNIVERSAL, *_MACH_O_LITTLE, *_MACH_O_BIG)


class Format(Enum):
    """The format of a file by its first bytes."""

    WINDOWS = auto()
    DOS = auto()
    LINUX = auto()
    MACOS = auto()
    SCRIPT = auto()
    OTHER = auto()


class Program(Struct, frozen=True):
    """An executable file; ``legacy`` ones need DOS or 16-bit Windows."""

    platform: Platform
    legacy: bool = False


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_LINUX_SUFFIXES = _set("run appimage bin linux elf x86_64 x86 x64 amd64 i386 i686 arm64 aarch64 armv7l")
_BINARIES = dict.fromkeys(_LINUX_SUFFIXES, Platform.LINUX) | {"exe": Platform.WINDOWS}
_BY_NAME_ALONE = dict.fromkeys(("bat", "cmd", "msi"), Platform.WINDOWS) | {
    "sh": Platform.LINUX,
    "command": Platform.MACOS,
}
_BY_SUFFIX = _BINARIES | _BY_NAME_ALONE
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
    """Return the suffix in lower case without its dot; empty if there is none, as in `wesnoth-1.16`."""
    head, _, last = name.rpartition(".")
    lowered = last.lower()
    return lowered if head and _SUFFIX.fullmatch(lowered) else ""


def stem_of(path: str) -> str:
    """Return the file's name without the suffix of a program: `wesnoth-1.16` for `usr/games/wesnoth-1.16`."""
    name = path.rpartition("/")[2]
    suffix = suffix_of(name)
    return name[: -len(suffix) - 1] if suffix in _BY_SUFFIX or suffix in _INTERPRETED else name


def bundle_of(path: str) -> str | None:
    """Return the name of the application bundle of a program: `X` for `X.app/Contents/MacOS/…`, otherwise None."""
    match = _IN_BUNDLE.search(path) if ".app/" in path else None
    return match[1] if match else None


def could_be_program(name: str, *, executable: bool) -> bool:
    """Return whether a file with this name may be a program.

    Hidden files, libraries, data, and files with an unknown suffix that are not executable cannot.
    """
    suffix = suffix_of(name)
    if name.startswith(".") or suffix in _LIBRARIES or suffix in _DATA or ".so." in name:
        return False
    return executable or not suffix or suffix in _BY_SUFFIX


def needs_head(path: str, *, executable: bool) -> bool:
    """Return whether the first bytes are needed to find out if a file is a program and its platform."""
    name = path.rpartition("/")[2]
    return suffix_of(name) not in _BY_NAME_ALONE and could_be_program(name, executable=executable)


def identify(path: str, *, executable: bool, head: bytes | None) -> Program | None:
    """Return a file as a program, or None if it is none.

    ``head`` are its first `HEAD_SIZE` bytes, or None if they were not read.
    """
    name = path.rpartition("/")[2]
    if not could_be_program(name, executable=executable):
        return None
    suffix = suffix_of(name)
    by_name = Platform.MACOS if bundle_of(path) and suffix not in _BINARIES else _BY_SUFFIX.get(suffix)
    if suffix in _BY_NAME_ALONE or head is None:
        return Program(by_name) if by_name and suffix != "bin" else None
    return _program_of_format(format_of(head), by_name=by_name)


def _program_of_format(file_format: Format, *, by_name: Platform | None) -> Program | None:
    match file_format:
        case Format.OTHER:
            return None
        case Format.SCRIPT:
            return Program(by_name or Platform.LINUX)
        case Format.DOS:
            return Program(Platform.WINDOWS, legacy=True)
        case _:
            return Program(Platform[file_format.name])


def is_machine_code(head: bytes) -> bool:
    """Return whether a file is a program, a library or an object file by its first bytes; Java classes count too."""
    return head.startswith(_MACHINE_CODE)


def format_of(head: bytes) -> Format:
    """Return the format of a file by its first bytes; libraries and object files are `Format.OTHER`."""
    if head[:2] == b"#!":
        return Format.SCRIPT
    if head[:4] == _ELF:
        return _elf(head)
    if head[:2] == b"MZ":
        return _executable_header(head)
    return _mach_o(head)


def _elf(head: bytes) -> Format:
    """Return the format of an ELF file.

    Libraries have the type of position-independent programs, but linkers set no entry point for them.
    """
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
    unseen = len(head) < newer + 4 < _MAX_PE_OFFSET and table >= _MZ_HEADER
    return Format.WINDOWS if unseen else Format.DOS


def _mach_o(head: bytes) -> Format:
    """Return the format of a Mach-O file.

    A universal binary begins like a Java class, which has its version at the position of the number of architectures.
    """
    magic = head[:4]
    if magic in _UNIVERSAL:
        return Format.MACOS if 0 < int.from_bytes(head[4:8], "big") < _MIN_JAVA_VERSION else Format.OTHER
    if magic in _MACH_O_LITTLE:
        return Format.MACOS if head[12:16] == b"\2\0\0\0" else Format.OTHER
    if magic in _MACH_O_BIG:
        return Format.MACOS if head[12:16] == b"\0\0\0\2" else Format.OTHER
    return Format.OTHER


SETUP_WORDS = frozenset(("setup", "install", "installer"))
# Factors below 1 rank a program below the game itself but above programs with other names.
_SETUP_WEIGHT = 0.8
_AUXILIARY = _set(
    "editor config configure configuration settings options benchmark test tests tool tools update updater"
) | _set("patch patcher debug sdk register registration activation diagnostics compiler modkit")
# Servers and auxiliary programs often have the game's name in theirs, so their weights are lower.
_AUXILIARY_WEIGHTS = dict.fromkeys(_AUXILIARY, 0.5) | dict.fromkeys(("server", "srv", "dedicated"), 0.4)
# A script is usually called by the real start script.
_INTERPRETED_WEIGHT = 0.8
# Most computers have 64-bit x86 processors: ARM builds come last, 32-bit builds just after 64-bit ones.
_ARM_WEIGHT = 0.8
_32_BIT_WEIGHT = 0.95
_ARM = re.compile(r"aarch64|arm64|armhf|armv\d|(?<![a-z])arm(?![a-z])")
_32_BIT = re.compile(r"(?<![a-z0-9])(?:x86(?![_-]?64)|x32|i[3-6]86|(?:win|linux|bin)?32(?:bits?)?)(?![a-z0-9])")
_NOT_GAME = re.compile(
    r"^unins\d*$|uninst(?:all)?|redist|^dx(?:web)?setup|^directx|^dotnet|^ndp\d|netfx|prereq|^oalinst|^physx|^xnafx"
    r"|^vulkanrt|webview2|(?:crash|error|bug)(?:hand|rep|pad|send|upload|dump|splat|monitor)|^bssndrpt|createdump|minidump"
    r"|^easyanticheat|^battleye|^beservice|helper|subprocess|webengineprocess|gameoverlay|chromesandbox"
    r"|^(?:pythonw?\d*|perl|lua|node|7z[agr]?\d*|(?:un)?zip|(?:un)?rar|wget|curl|aria2c|ffmpeg|ffprobe|xdelta3?)$"
    r"|^(?:zsync(?:make)?|elevate|squirrel|chromedriver|nwjc|gdb(?:server)?|xdg(?:open|utils)|yad|zenity|touchup|cleanup)$"
    r"|^(?:pre|post)(?:inst|rm)$"
)
_NOT_GAME_FOLDERS = re.compile(
    r"(?:^|/)(?:_?common_?redist|_?redist(?:ributables?)?|vc_?redist|directx\d*|dotnet|easyanticheat|battleye|__installer"
    r"|prerequisites|__macosx)/",
    re.IGNORECASE,
)
_SEPARATORS = re.compile(r"[\W_]+")


def is_not_game(path: str, *, title: str) -> bool:
    """Return whether a name or folder shows that a program is an uninstaller, redistributable, crash handler or tool.

    ``title`` are the joined words of the game's title. Words that occur in it are no evidence.
    """
    match = _NOT_GAME.search(_SEPARATORS.sub("", stem_of(path).lower()))
    return bool(match and match[0] not in title) or bool(_NOT_GAME_FOLDERS.search(path))


def role_weight(words: Iterable[str], path: str, *, title: Collection[str]) -> float:
    """Return the weight of a program by its role: less than 1 for servers, editors, installers and other builds."""
    words, suffix, lowered = set(words), suffix_of(path.rpartition("/")[2]), path.lower()
    weight = min((_AUXILIARY_WEIGHTS.get(word, 1.0) for word in words.difference(title)), default=1.0)
    if suffix == "msi" or not SETUP_WORDS.isdisjoint(words):
        weight *= _SETUP_WEIGHT
    if suffix in _INTERPRETED:
        weight *= _INTERPRETED_WEIGHT
    if _ARM.search(lowered):
        return weight * _ARM_WEIGHT
    return weight * _32_BIT_WEIGHT if _32_BIT.search(lowered) else weight
