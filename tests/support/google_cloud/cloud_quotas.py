"""Cloud Quotas: limits of Compute Engine by region."""

from . import capacity, catalog
from .calls import handles
from .errors import GoogleError
from .state import page

PREFIX = "cloudquotas.projects.locations.services.quotaInfos."
FAMILY, FAMILY_SPOT = ("TPUS-PER-TPU-FAMILY-per-project-region",
                       "PREEMPTIBLE-TPU-V6E-per-project-region")
# Quota → (metric, its name in the catalogue, dimension beside the region)
QUOTAS = {
    "CPUS-per-project-region": ("cpus", "CPUS", None),
    "NVIDIA-L4-GPUS-per-project-region": ("nvidia_l4_gpus", "NVIDIA_L4_GPUS", None),
    "TPU-LITE-PODSLICE-V5-per-project-region": (
        "tpu_lite_podslice_v5", "TPU_LITE_PODSLICE_V5", None),
    "PREEMPTIBLE-TPU-LITE-PODSLICE-V5-per-project-region": (
        "preemptible_tpu_lite_podslice_v5", "PREEMPTIBLE_TPU_LITE_PODSLICE_V5", None),
    FAMILY: ("tpus_per_tpu_family", "CT6E", {"tpu_family": "CT6E"}),
    FAMILY_SPOT: ("preemptible_tpu_v6e", "PREEMPTIBLE_CT6E", None),
    "TPU-V5P-per-project-region": ("tpu_v5p", "CT5P", None),
    "PREEMPTIBLE-TPU-V5P-per-project-region": ("preemptible_tpu_v5p", "PREEMPTIBLE_CT5P", None),
}


@handles(PREFIX + "list", "cloudquotas.quotas.get")
def list_all(cloud, call):
    _check_service(call)
    found, token = page([_info(cloud, call.name, quota) for quota in QUOTAS], call.query)
    return {"quotaInfos": found, **({"nextPageToken": token} if token else {})}


@handles(PREFIX + "get", "cloudquotas.quotas.get")
def get(cloud, call):
    _check_service(call)
    parent, _, quota = call.name.partition("/quotaInfos/")
    if quota not in QUOTAS:
        raise GoogleError(404, f"Quota info {call.name} was not found.")
    return _info(cloud, parent, quota)


def _check_service(call):
    if call.part("locations") != "global":
        raise GoogleError(400, "The location has to be global.")
    if call.part("services") != "compute.googleapis.com":
        raise GoogleError(404, f"Service {call.part('services')} was not found.")


def _info(cloud, parent, quota):
    metric, name, extra = QUOTAS[quota]
    parent = parent.replace(f"projects/{cloud.options.project}/",
                            f"projects/{cloud.options.number}/")
    own = [region for region in catalog.regions(cloud.options)
           if name in cloud.options.quotas.get(region, {})]
    others = [region for region in catalog.regions(cloud.options) if region not in own]
    infos = [_dimensions({"region": region, **(extra or {})}, [region],
                         capacity.limits(cloud.options, region)[name]) for region in own]
    infos.append(_dimensions(extra, others, catalog.QUOTAS[name]))
    return {"name": f"{parent}/quotaInfos/{quota}", "quotaId": quota,
            "metric": f"compute.googleapis.com/{metric}", "service": "compute.googleapis.com",
            "containerType": "PROJECT", "dimensions": ["region", *(extra or {})],
            "metricUnit": "1", "isPrecise": True, "dimensionsInfos": infos,
            "quotaIncreaseEligibility": {"isEligible": True}}


def _dimensions(dimensions, regions, value):
    """Returns one limit. Google omits a value of 0, and the region of a limit of most regions."""
    return {**({"dimensions": dimensions} if dimensions else {}),
            "details": {"value": str(value)} if value else {}, "applicableLocations": regions}
