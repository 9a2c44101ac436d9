"""A strict stand-in for Google's Cloud Build: REST as documented by Google, real builds with buildah.

    service = CloudBuild(folder, storage_url)     # service.url
    service.held.set()                            # builds stay QUEUED until clear()
    service.held_before_push.set()                # builds stay WORKING with their steps done until clear()
    service.ends_as.append("EXPIRED")             # the next build ends so without building
    service.faults.append(Fault("POST", 503))     # the next such request fails
"""

from .engine import Engine, missing, need_builds  # noqa: F401
from .server import CloudBuild, Fault  # noqa: F401
