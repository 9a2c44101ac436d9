"""Cloud Billing: the project's account and a small price list.

Prices in USD. They are list prices that may be stale; tests use their shape. Descriptions of TPUs
have both forms that other programs expect, and some Spot prices count as on demand.
"""

from .calls import handles
from .errors import GoogleError
from .state import page

SERVICE = "services/6F81-5844-456A"  # Compute Engine
# (description, group, usage, region, USD per hour)
PRICES = [
    ("TPU v5e running in {}", "TPU", "OnDemand", "us-west4", 1.20),
    ("TPU v5e attached to Spot Preemptible VMs running in {}", "TPU", "Preemptible", "us-west4",
     0.51),
    ("TPU v5e running in {}", "TPU", "OnDemand", "us-central1", 1.20),
    ("TPU v5e attached to Spot Preemptible VMs running in {}", "TPU", "Preemptible",
     "us-central1", 0.63),
    ("TpuV6e in {}", "TPU", "OnDemand", "us-east5", 2.71),
    ("TpuV6e Preemptible in {}", "TPU", "OnDemand", "us-east5", 1.88),
    ("Capacity Optimized TpuV6e in {}", "TPU", "OnDemand", "us-east5", 3.10),
    ("DWS Defined Duration V6e running in {}", "TPU", "OnDemand", "us-east5", 1.36),
    ("Commitment - TpuV6e in {} for 1 Year", "TPU", "OnDemand", "us-east5", 1.10),
    ("TpuV6e in {}", "TPU", "Commit3Yr", "us-east5", 0.90),
    ("Nvidia L4 GPU running in {}", "GPU", "OnDemand", "us-central1", 0.56004),
    ("E2 Instance Core running in {}", "CPU", "OnDemand", "us-central1", 0.02181159),
    ("E2 Instance Ram running in {}", "RAM", "OnDemand", "us-central1", 0.00292353),
]


@handles("cloudbilling.projects.getBillingInfo", "resourcemanager.projects.get")
def get_billing_info(cloud, call):
    name = f"projects/{cloud.options.project}/billingInfo"
    info = {"name": name, "projectId": cloud.options.project}
    if not cloud.options.billing:
        return info
    return {**info, "billingAccountName": "billingAccounts/012345-567890-ABCDEF",
            "billingEnabled": True}


@handles("cloudbilling.services.skus.list")
def list_skus(cloud, call):
    if call.name != SERVICE:
        raise GoogleError(404, "Requested entity was not found.")
    if call.query.get("currencyCode", "USD") != "USD":
        raise GoogleError(400, "the stand-in has prices in USD only")
    skus = [_sku(cloud, index, *row) for index, row in enumerate(PRICES)]
    size = min(int(call.query.get("pageSize") or 6), 6)  # as if the catalog had many pages
    found, token = page(skus, {**call.query, "pageSize": size})
    return {"skus": found, "nextPageToken": token or ""}


def _sku(cloud, index, description, group, usage, region, price):
    identifier = f"{index:04X}-{index * 7919 % 65536:04X}-{index * 104729 % 65536:04X}"
    units, nanos = divmod(round(price * 1e9), 10**9)
    unit = "GiBy.h" if group == "RAM" else "h"
    rate = {"startUsageAmount": 0, "unitPrice": {"currencyCode": "USD", "units": str(units),
                                                 "nanos": nanos}}
    return {"name": f"{SERVICE}/skus/{identifier}", "skuId": identifier,
            "description": description.format(region), "serviceRegions": [region],
            "category": {"serviceDisplayName": "Compute Engine", "resourceFamily": "Compute",
                         "resourceGroup": group, "usageType": usage},
            "pricingInfo": [{"effectiveTime": cloud.clock.text(), "currencyConversionRate": 1,
                             "pricingExpression": {"usageUnit": unit, "displayQuantity": 1,
                                                   "baseUnit": "s", "tieredRates": [rate]}}],
            "serviceProviderName": "Google",
            "geoTaxonomy": {"type": "REGIONAL", "regions": [region]}}
