"""Options of the stand-in. Each can change at run time."""

import dataclasses
import typing

ANA = "user:ana@example.com"


@dataclasses.dataclass
class Options:
    documents: str = "documents"  # folder of <service>.<version>.json
    host: str = "127.0.0.1"  # address to listen on
    port: int = 0
    seed: int = 0  # of the random faults
    # Project and callers
    project: str = "kinetic-test"
    number: str = "123456789012"
    project_state: str = "ACTIVE"
    billing: bool = True
    tokens: dict = dataclasses.field(default_factory=lambda: {"ya29.s3cret-token": ANA})
    owners: list = dataclasses.field(default_factory=lambda: [ANA])
    enabled: list = dataclasses.field(default_factory=lambda: ["serviceusage", "storage"])
    # Other projects that requests may count for: {"other": {"number": "42", "enabled": ["compute"]}}
    quota_projects: dict = dataclasses.field(default_factory=dict)
    login_project: str = ""  # that requests without x-goog-user-project count for; "": the own one
    # resource.name in IAM conditions on GKE: "locations", "zones", or "none" (no condition holds)
    gke_condition_names: str = "locations"
    constraints: dict = dataclasses.field(default_factory=dict)  # method glob → constraint name
    # Time
    clock: str = "real"  # or "fake"
    seconds_per_request: float = 0.0  # by which each request advances the clock
    durations: dict = dataclasses.field(default_factory=lambda: {"default": 0.05})  # by type
    iam_delay: float = 0.0
    account_delay: float = 0.0
    enable_delay: float = 0.0  # between the end of batchEnable and the first permitted call
    # Capacity: {"us-west4": {"TPU_LITE_PODSLICE_V5": 16}} overrides catalog.QUOTAS
    quotas: dict = dataclasses.field(default_factory=dict)
    stockouts: list = dataclasses.field(default_factory=list)  # "MACHINE_GLOB@ZONE_GLOB"
    zones: typing.Optional[list] = None  # None: all of the catalogue
    reservations: list = dataclasses.field(default_factory=list)  # compute Reservation resources
    # Clusters
    parallel_pool_operations: bool = True
    concurrent_operations: int = 5
    endpoint: str = "203.0.113.10"
    ca_certificate: str = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCg=="
    dns_endpoint: typing.Optional[str] = None  # None: a made-up name
    orphan: str = ""  # "disk" or "address": what deletion of a cluster leaves behind
    pool_needs_cluster: bool = False  # principal:// members are unknown before the first cluster
    hook: typing.Union[str, typing.Callable, None] = None  # called with events of node pools
    registry: typing.Optional[str] = None  # host of the image registry; None: a made-up name
    # Cloud Storage
    objects: typing.Optional[str] = None  # URL of a server for object requests
    taken_buckets: list = dataclasses.field(default_factory=list)  # owned by other projects
    # Faults
    timeout_seconds: float = 30.0  # for which a request with the fault "timeout" is ignored

    def change(self, values):
        """Sets several options by name. Raises ValueError for an unknown name."""
        known = {field.name for field in dataclasses.fields(self)}
        if unknown := set(values) - known:
            raise ValueError(f"unknown options: {', '.join(sorted(unknown))}")
        for name, value in values.items():
            setattr(self, name, value)
