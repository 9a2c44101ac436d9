"""Zones, machine types, quotas and prices, as of 2026-11. An approximation of Google's catalogue.

Machine shapes: docs.cloud.google.com. The zones of TPUs and GPUs change; tests must not rely on
their completeness.
"""

import re

# Name → (vCPU, memory in GB, accelerator type, accelerators)
TPUS = {
    "ct4p-hightpu-4t": (240, 407, "ct4p", 4),
    "ct5lp-hightpu-1t": (24, 48, "ct5lp", 1), "ct5lp-hightpu-4t": (112, 192, "ct5lp", 4),
    "ct5lp-hightpu-8t": (224, 384, "ct5lp", 8),
    "ct5p-hightpu-4t": (208, 448, "ct5p", 4),
    "ct6e-standard-1t": (44, 176, "ct6e", 1), "ct6e-standard-4t": (180, 720, "ct6e", 4),
    "ct6e-standard-8t": (180, 1440, "ct6e", 8),
    "tpu7x-standard-1t": (56, 240, "tpu7x", 1), "tpu7x-standard-4t": (224, 960, "tpu7x", 4),
}
GPUS = {
    **{f"g2-standard-{cpus}": (cpus, cpus * 4, "nvidia-l4", count) for cpus, count in
       ((4, 1), (8, 1), (12, 1), (16, 1), (24, 2), (32, 1), (48, 4), (96, 8))},
    **{f"a2-highgpu-{count}g": (12 * count, 85 * count, "nvidia-tesla-a100", count)
       for count in (1, 2, 4, 8)},
    **{f"a2-ultragpu-{count}g": (12 * count, 170 * count, "nvidia-a100-80gb", count)
       for count in (1, 2, 4, 8)},
    **{f"a3-highgpu-{count}g": (26 * count, 234 * count, "nvidia-h100-80gb", count)
       for count in (1, 2, 4, 8)},
    "a3-megagpu-8g": (208, 1872, "nvidia-h100-mega-80gb", 8),
    "a3-ultragpu-8g": (224, 2952, "nvidia-h200-141gb", 8),
    "a4-highgpu-8g": (224, 3968, "nvidia-b200", 8),
    "g4-standard-48": (48, 180, "nvidia-rtx-pro-6000", 1),
}
PLAIN = {
    **{f"e2-standard-{cpus}": (cpus, 4 * cpus, None, 0) for cpus in (2, 4, 8, 16, 32)},
    **{f"e2-highmem-{cpus}": (cpus, 8 * cpus, None, 0) for cpus in (2, 4, 8, 16)},
    "e2-small": (2, 2, None, 0), "e2-medium": (2, 4, None, 0),
    **{f"n1-standard-{cpus}": (cpus, 3.75 * cpus, None, 0) for cpus in (1, 2, 4, 8, 16, 32, 64)},
}
MACHINES = {**TPUS, **GPUS, **PLAIN}
# Zone → families beyond e2 and n1, and GPU types for n1
ZONES = {
    "us-central1-a": ("ct5lp ct5p g2 a2-highgpu a2-ultragpu a3-highgpu a3-ultragpu",
                      "nvidia-tesla-t4"),
    "us-central1-b": ("ct6e g2 a2-highgpu", "nvidia-tesla-t4"),
    "us-central2-b": ("ct4p", ""),
    "us-south1-ai1b": ("ct6e", ""),
    "us-east1-d": ("ct6e tpu7x g2 g4", "nvidia-tesla-t4"),
    "us-east1-b": ("a3-megagpu a4-highgpu", ""),
    "us-east5-a": ("ct5p ct6e a3-highgpu", ""),
    "us-east5-b": ("ct5lp ct6e a2-ultragpu", ""),
    "us-west4-a": ("ct5lp g2 a3-highgpu", "nvidia-tesla-t4"),
    "us-west4-b": ("ct5lp tpu7x g2", "nvidia-tesla-t4"),
    "europe-west4-a": ("ct6e g2 a2-highgpu a2-ultragpu", "nvidia-tesla-t4"),
    "europe-west4-b": ("ct5lp ct5p g2 a2-highgpu a3-highgpu", "nvidia-tesla-t4"),
}
# Topologies of machine types that are always one host
SINGLE_HOST = {"ct5lp-hightpu-1t": "1x1", "ct5lp-hightpu-8t": "2x4", "ct6e-standard-1t": "1x1",
               "ct6e-standard-8t": "2x4", "tpu7x-standard-1t": "1x1x1"}
ONE_HOST_OF_FOUR = {"ct4p": "2x2x1", "ct5p": "2x2x1", "ct5lp": "2x2", "ct6e": "2x2",
                    "tpu7x": "2x2x1"}
# Limits of each region
QUOTAS = {"CPUS": 72, "DISKS_TOTAL_GB": 4096, "SSD_TOTAL_GB": 1000, "IN_USE_ADDRESSES": 8,
          "STATIC_ADDRESSES": 8, "TPU_LITE_PODSLICE_V5": 32, "PREEMPTIBLE_TPU_LITE_PODSLICE_V5": 32,
          "TPU_PODSLICE_V4": 0, "PREEMPTIBLE_TPU_PODSLICE_V4": 0, "NVIDIA_L4_GPUS": 8,
          "PREEMPTIBLE_NVIDIA_L4_GPUS": 8, "NVIDIA_T4_GPUS": 4, "PREEMPTIBLE_NVIDIA_T4_GPUS": 4,
          "NVIDIA_A100_GPUS": 0, "PREEMPTIBLE_NVIDIA_A100_GPUS": 0, "NVIDIA_A100_80GB_GPUS": 0,
          "CT6E": 16, "PREEMPTIBLE_CT6E": 16, "CT5P": 0, "PREEMPTIBLE_CT5P": 0, "TPU7X": 4,
          "PREEMPTIBLE_TPU7X": 0}
# GPUs without a quota of their own, and without one in the lists of regions
GPU_FAMILIES = ("NVIDIA_H100", "NVIDIA_H100_MEGA", "NVIDIA_H200", "NVIDIA_B200",
                "NVIDIA_RTX_PRO_6000")
for family in GPU_FAMILIES:
    QUOTAS.update({f"{family}_GPUS": 0, f"PREEMPTIBLE_{family}_GPUS": 8})
# Regions of Compute Engine do not list these
BEYOND_REGIONS = {"CT6E", "PREEMPTIBLE_CT6E", "CT5P", "PREEMPTIBLE_CT5P", "TPU7X",
                  "PREEMPTIBLE_TPU7X", *(f"{kind}{family}_GPUS" for family in GPU_FAMILIES
                                         for kind in ("", "PREEMPTIBLE_"))}
# The region of limits for all regions, in Options.quotas
GLOBAL = "global"
ALL_GPUS, ALL_GPUS_DEFAULT = "GPUS_ALL_REGIONS", 8
METRICS = {"ct5lp": "TPU_LITE_PODSLICE_V5", "ct4p": "TPU_PODSLICE_V4", "ct6e": "CT6E",
           "ct5p": "CT5P", "tpu7x": "TPU7X", "nvidia-l4": "NVIDIA_L4_GPUS", "nvidia-tesla-t4": "NVIDIA_T4_GPUS",
           "nvidia-tesla-a100": "NVIDIA_A100_GPUS", "nvidia-a100-80gb": "NVIDIA_A100_80GB_GPUS",
           "nvidia-h100-80gb": "NVIDIA_H100_GPUS",
           "nvidia-h100-mega-80gb": "NVIDIA_H100_MEGA_GPUS",
           "nvidia-h200-141gb": "NVIDIA_H200_GPUS", "nvidia-b200": "NVIDIA_B200_GPUS",
           "nvidia-rtx-pro-6000": "NVIDIA_RTX_PRO_6000_GPUS"}


def region_of(location):
    """Returns "us-west4" of "us-west4-a" and of "us-west4"."""
    return re.sub(r"-(ai\d)?[a-z]$", "", location)


def zones_of(options, region=None):
    zones = [zone for zone in ZONES if options.zones is None or zone in options.zones]
    return [zone for zone in zones if region is None or region_of(zone) == region]


def regions(options):
    return sorted({region_of(zone) for zone in zones_of(options)})


def machines_in(zone):
    """Returns the machine types of a zone."""
    families = ZONES[zone][0].split() + ["e2", "n1"]
    return {name: shape for name, shape in MACHINES.items()
            if any(name.startswith(family + "-") for family in families)}


def gpus_in(zone):
    """Returns the types of GPU in a zone."""
    kinds = {shape[2] for name, shape in machines_in(zone).items() if name in GPUS}
    return sorted(kinds | set(ZONES[zone][1].split()))


def is_tpu(machine):
    return machine in TPUS


def single_host_topology(machine):
    """Returns the topology of one host of a TPU machine type."""
    return SINGLE_HOST.get(machine) or ONE_HOST_OF_FOUR[TPUS[machine][2]]


def hosts(machine, topology):
    """Returns the number of hosts of a slice."""
    chips = 1
    for side in topology.split("x"):
        chips *= int(side)
    return max(1, chips // TPUS[machine][3])
