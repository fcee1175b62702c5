; The Windows setup program: per user, without an administrator. tools/client_windows.py passes VERSION, APP and OUTPUT.
Target amd64-unicode
Unicode true
Name "Playdock"
OutFile "${OUTPUT}"
RequestExecutionLevel user
InstallDir "$LOCALAPPDATA\Programs\Playdock"
SetCompressor /SOLID lzma
SetDateSave off
Icon "${ICON}"
UninstallIcon "${ICON}"
ManifestDPIAware true
VIProductVersion "${VERSION}.0"
VIAddVersionKey "ProductName" "Playdock"
VIAddVersionKey "FileDescription" "Playdock setup"
VIAddVersionKey "FileVersion" "${VERSION}"
VIAddVersionKey "LegalCopyright" "AGPL-3.0-or-later"

!include "MUI2.nsh"
!include "LogicLib.nsh"
!define MUI_ICON "${ICON}"
!define MUI_UNICON "${ICON}"
!define MUI_FINISHPAGE_RUN "$INSTDIR\Playdock.exe"
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"
!insertmacro MUI_LANGUAGE "German"

!define UNINSTALL_KEY "Software\Microsoft\Windows\CurrentVersion\Uninstall\Playdock"
; Where the client looks for its settings (ClientFolders.config).
!define CONFIG "$LOCALAPPDATA\playdock-client"

LangString RUNNING ${LANG_ENGLISH} "Playdock is running. Close it and its games, then try again."
LangString RUNNING ${LANG_GERMAN} "Playdock läuft noch. Schließe es und seine Spiele und versuche es dann erneut."

; Windows refuses to open a library for writing while a program uses it. Nothing has been changed yet then.
!macro REQUIRE_CLOSED
  ${DoWhile} ${FileExists} "$INSTDIR\runtime\python313.dll"
    ClearErrors
    FileOpen $0 "$INSTDIR\runtime\python313.dll" a
    ${IfNot} ${Errors}
      FileClose $0
      ${ExitDo}
    ${EndIf}
    ${If} ${Cmd} `MessageBox MB_RETRYCANCEL|MB_ICONEXCLAMATION "$(RUNNING)" /SD IDCANCEL IDCANCEL`
      SetErrorLevel 3
      Quit
    ${EndIf}
  ${Loop}
!macroend

Section
  !insertmacro REQUIRE_CLOSED
  ; Files of an older version that this one does not have must not be left behind.
  RMDir /r "$INSTDIR\runtime"
  RMDir /r "$INSTDIR\lib"
  ; Newer versions are put here by updates. Those of an earlier installation are not used any more.
  Delete "$INSTDIR\versions\state.json"
  RMDir /r "$INSTDIR\versions"
  CreateDirectory "$INSTDIR\versions"
  SetOutPath "$INSTDIR"
  File /r "${APP}/*"

  ; The name of this file: the server that offered it has encoded its address in it.
  CreateDirectory "${CONFIG}"
  FileOpen $0 "${CONFIG}\download-name.txt" w
  FileWriteUTF16LE /BOM $0 "$EXEFILE"
  FileClose $0

  CreateShortcut "$SMPROGRAMS\Playdock.lnk" "$INSTDIR\Playdock.exe"
  WriteRegStr HKCU "Software\Classes\playdock" "" "URL:Playdock"
  WriteRegStr HKCU "Software\Classes\playdock" "URL Protocol" ""
  WriteRegStr HKCU "Software\Classes\playdock\DefaultIcon" "" "$INSTDIR\Playdock.exe,0"
  WriteRegStr HKCU "Software\Classes\playdock\shell\open\command" "" '"$INSTDIR\Playdock.exe" "%1"'
  WriteRegStr HKCU "${UNINSTALL_KEY}" "DisplayName" "Playdock"
  WriteRegStr HKCU "${UNINSTALL_KEY}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${UNINSTALL_KEY}" "DisplayIcon" "$INSTDIR\playdock.ico"
  WriteRegStr HKCU "${UNINSTALL_KEY}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKCU "${UNINSTALL_KEY}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
  WriteRegDWORD HKCU "${UNINSTALL_KEY}" "NoModify" 1
  WriteRegDWORD HKCU "${UNINSTALL_KEY}" "NoRepair" 1
  WriteUninstaller "$INSTDIR\uninstall.exe"
SectionEnd

; Settings and installed games are kept. Only what the setup program has written is removed.
Section "Uninstall"
  !insertmacro REQUIRE_CLOSED
  Delete "$SMPROGRAMS\Playdock.lnk"
  DeleteRegKey HKCU "Software\Classes\playdock"
  DeleteRegKey HKCU "${UNINSTALL_KEY}"
  Delete "${CONFIG}\download-name.txt"
  RMDir "${CONFIG}"
  RMDir /r "$INSTDIR\runtime"
  RMDir /r "$INSTDIR\lib"
  RMDir /r "$INSTDIR\versions"
  Delete "$INSTDIR\Playdock.exe"
  Delete "$INSTDIR\playdock-client.exe"
  Delete "$INSTDIR\playdock.ico"
  Delete "$INSTDIR\LICENSE.txt"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
SectionEnd
