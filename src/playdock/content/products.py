"""Recognition of names that do not identify a game, such as the names of engines and installers."""

# Anything longer is a description, not a name.
_MAX_NAME_LENGTH = 150

# In lower case, letters only.
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
_PLACEHOLDERS = """
game games thegame application app program executable productname todoproductname todofiledescription default
defaultcompany untitled unnamed unknown test demo version
"""
_NOT_GAMES = frozenset(f"{_ENGINES} {_INSTALLERS} {_PLACEHOLDERS}".split())
_TRADEMARKS = str.maketrans("", "", "™®©℠")


def meaningful_name(text: str) -> str:
    """Return the name of a game or company on one line, or an empty string if the text is not one.

    Names of engines and installers, placeholders, and texts that are too long for a name are not.
    """
    cut = text[: 4 * _MAX_NAME_LENGTH].translate(_TRADEMARKS)
    printable = "".join(char if char.isprintable() else " " for char in cut)
    line = " ".join(printable.split())
    letters = "".join(char for char in line.casefold() if char.isalpha())
    usable = len(line) <= _MAX_NAME_LENGTH and letters not in _NOT_GAMES and any(char.isalnum() for char in line)
    return line if usable else ""
