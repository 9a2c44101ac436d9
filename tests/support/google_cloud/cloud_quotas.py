"""Cloud Quotas: limits of Compute Engine by region."""

from . import capacity, catalog
from .calls import handles
from .errors import GoogleError
from .state import page

PREFIX = "cloudquotas.projects.locations.services.quotaInfos."
# Quota → (metric, names in the catalogue with their dimensions beside the region)
QUOTAS = {
    "CPUS-per-project-region": ("cpus", {"CPUS": {}}),
    "NVIDIA-L4-GPUS-per-project-region": ("nvidia_l4_gpus", {"NVIDIA_L4_GPUS": {}}),
    "TPU-LITE-PODSLICE-V5-per-project-region": (
        "tpu_lite_podslice_v5", {"TPU_LITE_PODSLICE_V5": {}}),
    "PREEMPTIBLE-TPU-LITE-PODSLICE-V5-per-project-region": (
        "preemptible_tpu_lite_podslice_v5", {"PREEMPTIBLE_TPU_LITE_PODSLICE_V5": {}}),
    "TPUS-PER-TPU-FAMILY-per-project-region": (
        "tpus_per_tpu_family", {"CT6E": {"tpu_family": "CT6E"}, "TPU7X": {"tpu_family": "tpu7x"}}),
    "PREEMPTIBLE-TPU-V6E-per-project-region": ("preemptible_tpu_v6e", {"PREEMPTIBLE_CT6E": {}}),
    "PREEMPTIBLE-TPU7X-per-project-region": ("preemptible_tpu7x", {"PREEMPTIBLE_TPU7X": {}}),
    "TPU-V5P-per-project-region": ("tpu_v5p", {"CT5P": {}}),
    "PREEMPTIBLE-TPU-V5P-per-project-region": ("preemptible_tpu_v5p", {"PREEMPTIBLE_CT5P": {}}),
    "GPUS-PER-GPU-FAMILY-per-project-region": (
        "gpus_per_gpu_family", {f"{family}_GPUS": {"gpu_family": family}
                                for family in catalog.GPU_FAMILIES}),
    **{f"PREEMPTIBLE-{family.replace('_', '-')}-GPUS-per-project-region": (
        f"preemptible_{family.lower()}_gpus", {f"PREEMPTIBLE_{family}_GPUS": {}})
       for family in catalog.GPU_FAMILIES},
    "GPUS-ALL-REGIONS-per-project": ("gpus_all_regions", {catalog.ALL_GPUS: None}),
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
    metric, names = QUOTAS[quota]
    parent = parent.replace(f"projects/{cloud.options.project}/",
                            f"projects/{cloud.options.number}/")
    infos = [info for name, extra in names.items() for info in _limits(cloud, name, extra)]
    dimensions = [] if None in names.values() else \
        ["region", *{key for extra in names.values() for key in extra}]
    return {"name": f"{parent}/quotaInfos/{quota}", "quotaId": quota,
            "metric": f"compute.googleapis.com/{metric}", "service": "compute.googleapis.com",
            "containerType": "PROJECT", "metricUnit": "1", "isPrecise": True,
            **({"dimensions": dimensions} if dimensions else {}), "dimensionsInfos": infos,
            "quotaIncreaseEligibility": {"isEligible": True}}


def _limits(cloud, name, extra):
    """Yields the limit of all regions, and then those of some."""
    if extra is None:
        yield _dimensions({}, ["global"], capacity.all_gpus(cloud.options))
        return
    regions = catalog.regions(cloud.options)
    yield _dimensions(extra, regions, catalog.QUOTAS[name])
    for region in regions:
        if name in cloud.options.quotas.get(region, {}):
            yield _dimensions({"region": region, **extra}, [region],
                              capacity.limits(cloud.options, region)[name])


def _dimensions(dimensions, regions, value):
    """Returns one limit. Google omits a value of 0, and the region of a limit of most regions."""
    return {**({"dimensions": dimensions} if dimensions else {}),
            "details": {"value": str(value)} if value else {}, "applicableLocations": regions}
