"""Writes a tar archive as others make them: write_layer.py FILE gnu|pax|ustar [gz]"""

import io
import os
import sys
import tarfile

FORMATS = {"gnu": tarfile.GNU_FORMAT, "pax": tarfile.PAX_FORMAT, "ustar": tarfile.USTAR_FORMAT}
LONG = "long/" + "n" * 90 + "/" + "m" * 90


def member(name, kind=tarfile.REGTYPE, mode=0o644, target="", size=0):
    entry = tarfile.TarInfo(name)
    entry.type, entry.mode, entry.linkname, entry.size = kind, mode, target, size
    return entry


file, form = sys.argv[1:3]
with tarfile.open(file, "w:" + "".join(sys.argv[3:]), format=FORMATS[form], encoding="utf-8",
                  errors="surrogateescape") as archive:
    archive.addfile(member("./", tarfile.DIRTYPE, 0o755))
    archive.addfile(member("./bin/", tarfile.DIRTYPE, 0o755))
    archive.addfile(member("bin/tool", mode=0o755, size=700_000), io.BytesIO(os.urandom(700_000)))
    archive.addfile(member("bin/again", tarfile.LNKTYPE, 0o755, "bin/tool"))
    archive.addfile(member("bin/alias", tarfile.SYMTYPE, 0o777, "/bin/tööl"))
    archive.addfile(member("dev/null", tarfile.CHRTYPE, 0o666))
    archive.addfile(member("übung"))
    archive.addfile(member(LONG))
    if form != "ustar":
        archive.addfile(member(os.fsdecode(b"raw\xff")))
