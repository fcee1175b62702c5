"""Names that programs and shops write down, and which of them are a game's: engines write their own."""

_LONGEST = 150

# Without case, digits, blanks and signs.
_ENGINES = """
unity unityplayer unityplaybackengine unitycrashhandler unityeditor newunityproject myproject unrealengine ue uegame
bootstrappackagedgame godot godotengine gamemaker gamemakerstudio createdwithgamemakerstudio rpgmaker rpgmakermv
rpgmakervxace rgssplayer rpgrt kirikiri wolfrpgeditor adventuregamestudio clickteamfusion multimediafusion construct
pygame renpy löve love electron nwjs nodewebkit nodejs chromium adobeair adobeflashplayer flashplayer python java
javatmplatformse openjdkplatformbinary dosbox dosboxdosemulator scummvm directx microsoftvisualc microsoftnetframework
microsoftwindowsoperatingsystem windowsoperatingsystem microsoftedgewebviewruntime winrarselfextractingarchive zipsfx
"""
_INSTALLERS = """
installshield installshieldsetup wiseinstallation wiseinstallationwizard wiseinstallationsystem nullsoftinstallsystem
innosetup setup setuplauncher setupuninstall setupbootstrapper setupapplication install installer installationwizard
uninstall uninstaller launcher gamelauncher steam gog goggalaxy goggames epicgameslauncher easyanticheat
easyanticheatlauncher battleye
"""
_BLANKS = """
game games thegame application app program executable productname todoproductname todofiledescription default
defaultcompany untitled unnamed unknown test demo version
"""
_NOT_GAMES = frozenset(f"{_ENGINES} {_INSTALLERS} {_BLANKS}".split())
_TRADEMARKS = str.maketrans("", "", "™®©℠")


def telling(text: str) -> str:
    """The text as one line without signs that cannot be seen; empty if it tells no game or company.

    That is the case for names of engines, installers and placeholders, and for what is longer than a name can be.
    """
    seen = "".join(sign if sign.isprintable() else " " for sign in text[: 4 * _LONGEST].translate(_TRADEMARKS))
    line = " ".join(seen.split())
    core = "".join(sign for sign in line.casefold() if sign.isalpha())
    tells = len(line) <= _LONGEST and core not in _NOT_GAMES and any(sign.isalnum() for sign in line)
    return line if tells else ""
