#!/bin/sh
# Remove Playdock for the current user. Settings and installed games are kept.
set -eu

data=${XDG_DATA_HOME:-$HOME/.local/share}
config=${PLAYDOCK_CLIENT_HOME:-${XDG_CONFIG_HOME:-$HOME/.config}/playdock-client}
program=$data/playdock

rm -f "$data/applications/playdock.desktop" "$data/icons/hicolor/scalable/apps/playdock.svg"
rm -f "$config/download-name.txt"
# What xdg-mime wrote for playdock:// links.
defaults=${XDG_CONFIG_HOME:-$HOME/.config}/mimeapps.list
if [ -f "$defaults" ]; then sed -i '/^x-scheme-handler\/playdock=playdock\.desktop;\{0,1\}$/d' "$defaults"; fi
if [ "$(readlink "$HOME/.local/bin/playdock-client" || true)" = "$program/program/playdock-client" ]; then
    rm -f "$HOME/.local/bin/playdock-client"
fi
if command -v update-desktop-database >/dev/null; then update-desktop-database "$data/applications" || true; fi
rm -rf "$program"

echo "Playdock is removed. Settings are kept in $config, games where you installed them."
