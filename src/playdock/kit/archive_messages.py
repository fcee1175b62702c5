"""The English sentences about archives that cannot be imported, as in `message_catalogue`."""

from collections.abc import Mapping

ARCHIVE_FAULTS: Mapping[str, str] = {
    "member-damaged": "“{path}” is damaged in the archive. Copy the archive here again.",
    "member-irregular": "“{path}” is a device, pipe or socket. Re-create the archive without it.",
    "member-encrypted": "“{path}” is encrypted. Re-create the archive without a password.",
    "member-compression": "“{path}” uses compression method {method}, which is not supported. Re-create the archive "
    "with deflate.",
    "archive-unreadable": "The archive cannot be read. Grant read access to the user that Playdock runs as.",
    "archive-damaged": "The archive is damaged or incomplete. Copy it here again.",
    "archive-encrypted": "The archive is encrypted. Re-create it without a password.",
    "archive-memory": "Reading the archive takes too much memory. Re-create it with a smaller dictionary.",
    "archive-method": "The archive uses a method that is not supported. Re-create it as .zip, or unpack it into a "
    "folder.",
    "archive-no-library": "The system library libarchive, which reads this kind of archive, is not installed on the "
    "server. Install it (on Debian: libarchive13), or unpack the archive into a folder.",
    "archive-slow": "Reading the archive takes too long. Check the archive, or unpack it into a folder.",
    "archive-too-many-files": "The archive has more than {most} files. Unpack it into a folder, or raise "
    "ARCHIVE_MAX_FILES.",
    "archive-udf": "The files of this disc image can only be read with UDF, and in a form that is not supported. Copy "
    "them into a folder.",
    "archive-volumes": "The archive consists of several files. Re-create it as one, or unpack it into a folder.",
    "archive-empty": "There are no files in the archive. Copy it here again.",
    "archive-deep": "The archive has folders within folders, more than {most} deep. Check the archive.",
    "not-packed": "This is a folder. Only archives and installers are unpacked.",
    "installer-no-innoextract": "The program innoextract, which unpacks installers, is not installed on the server. "
    "Install it (on Debian: innoextract), or import the installer as it is.",
    "installer-unreadable": "The installer cannot be unpacked: it is incomplete, encrypted, not made with Inno Setup, "
    "or newer than the program innoextract on the server. Import it as it is.",
    "installer-empty": "Nothing in the installer belongs to the folder of its game. Import it as it is.",
    "archive-files": "The archive has {files} files, and at most {most} are allowed. Unpack it into a folder, or raise "
    "ARCHIVE_MAX_FILES.",
    "archive-size": "The files in the archive have {size} bytes in total, and at most {most} are allowed. Check the "
    "archive, unpack it into a folder, or raise ARCHIVE_MAX_BYTES.",
}
