"""Prints what Python's own reader finds in a tar archive, as JSON: one object per member."""

import hashlib
import json
import os
import sys
import tarfile

KINDS = {tarfile.REGTYPE: "file", tarfile.DIRTYPE: "folder", tarfile.SYMTYPE: "link"}
SMALL = 1 << 20


def describe(archive, member):
    found = {"path": os.fsencode(member.name).hex(), "kind": KINDS[member.type], "mode": member.mode, "size": member.size,
             "owner": [member.uid, member.gid, member.uname, member.gname], "mtime": member.mtime,
             "target": os.fsencode(member.linkname).hex()}
    if member.isfile() and member.size <= SMALL:
        found["sha256"] = hashlib.sha256(archive.extractfile(member).read()).hexdigest()
    return found


with tarfile.open(sys.argv[1], encoding="utf-8", errors="surrogateescape") as archive:
    print(json.dumps([describe(archive, member) for member in archive]))
