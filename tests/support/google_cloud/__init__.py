"""A strict, stateful stand-in for the control plane of Google Cloud.

    cloud = GoogleCloud(Options(documents="documents")).start()
    cloud.url                       # clients address URL/SERVICE.googleapis.com/PATH
    cloud.state["clusters"]         # resources by kind and name
    cloud.options.stockouts = ["ct5lp-*@us-west4-a"]
    cloud.violations                # requests that Google's documents do not permit

`python3 -m google_cloud.server --documents DIR` runs it as a program.
"""

from .http_server import GoogleCloud  # noqa: F401
from .options import Options  # noqa: F401
