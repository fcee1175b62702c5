#!/bin/sh
# Install Playdock for the current user: no administrator and no Python needed. Run again, it replaces the program and
# keeps settings and games.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
data=${XDG_DATA_HOME:-$HOME/.local/share}
config=${PLAYDOCK_CLIENT_HOME:-${XDG_CONFIG_HOME:-$HOME/.config}/playdock-client}
program=$data/playdock
bin=$HOME/.local/bin

if [ "$(uname -m)" != x86_64 ]; then
    echo "This program is for x86-64 computers; this one is $(uname -m)." >&2
    exit 1
fi
if ! "$here/program/playdock-client" --version >/dev/null; then
    echo "The program does not start here. It needs Linux with glibc @GLIBC@ or newer." >&2
    exit 1
fi

mkdir -p "$program" "$bin" "$config" "$data/applications" "$data/icons/hicolor/scalable/apps"
chmod 700 "$config"
# The old program is replaced only after the new one is complete.
rm -rf "$program/program.new" "$program/program.old"
cp -R "$here/program" "$program/program.new"
# Newer versions are put here by updates. Those of an earlier installation are not used any more.
mkdir "$program/program.new/versions"
if [ -e "$program/program" ]; then mv "$program/program" "$program/program.old"; fi
mv "$program/program.new" "$program/program"
rm -rf "$program/program.old"
cp "$here/uninstall.sh" "$program/uninstall.sh"
ln -sf "$program/program/playdock-client" "$bin/playdock-client"

# The name under which a server offered this download, in which its address is encoded.
if [ -f "$here/download-name.txt" ]; then cp "$here/download-name.txt" "$config/download-name.txt"; fi

cp "$here/playdock.svg" "$data/icons/hicolor/scalable/apps/playdock.svg"
# Exec quotes the path as the Desktop Entry Specification requires.
escaped=$(printf '%s' "$program/program/playdock-client" | sed -e 's/[\\"`$]/\\\\&/g' -e 's/%/%%/g')
while IFS= read -r line; do
    case $line in
    "Exec=@PROGRAM@ "*) printf 'Exec="%s" %s\n' "$escaped" "${line#Exec=@PROGRAM@ }" ;;
    *) printf '%s\n' "$line" ;;
    esac
done <"$here/playdock.desktop" >"$data/applications/playdock.desktop"
if command -v update-desktop-database >/dev/null; then update-desktop-database "$data/applications" || true; fi
if command -v xdg-mime >/dev/null; then xdg-mime default playdock.desktop x-scheme-handler/playdock || true; fi

echo "Playdock is installed. Start it from the menu, or run: $bin/playdock-client app"
echo "To remove it, run: sh $program/uninstall.sh"
# Started with a double click, nobody has to look for the program in the menu.
if [ "${1-}" = --start ]; then nohup "$bin/playdock-client" app >/dev/null 2>&1 & fi
