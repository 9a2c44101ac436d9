"""A strict stand-in for Google's Cloud Build: REST as Google documents it, builds that really run, by buildah.

    service = CloudBuild(folder, storage_url)     # service.url
    service.held.set()                            # builds stay QUEUED until clear()
    service.held_before_push.set()                # builds stay WORKING with their steps done until clear()
    service.ends_as.append("EXPIRED")             # so the next one ends, unbuilt
    service.faults.append(Fault("POST", 503))     # and so a request does
"""

from .engine import Engine, missing, need_root  # noqa: F401
from .server import CloudBuild, Fault  # noqa: F401
