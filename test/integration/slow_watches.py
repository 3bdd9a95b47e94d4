# SPDX-License-Identifier: Apache-2.0
"""The controller behind a proxy that holds its watches back: decisions from stale mirrors must do no harm."""
import concurrent.futures
import time

from harness import CLAIMS, PODS, TEMPLATES, claim_spec, from_template, main, pod, template, wait_for


def c03_claim_watch_thirty_seconds_late_makes_no_twins(world):
    count = 1500
    world.rig.delay_watch("resourceclaims", 30_000)
    world.create(TEMPLATES, template("one-gpu"))
    body = lambda i: pod(f"p{i}", ("gpu", from_template("one-gpu")), schedulerName="nobody")
    touch = lambda i: world.api.merge(world.path(PODS, f"p{i}"), {"metadata": {"labels": {"t": str(time.time_ns())}}})
    served = lambda: {one["metadata"]["name"]: one["status"]["resourceClaimStatuses"][0]["resourceClaimName"]
                      for one in world.api.items(world.path(PODS)) if one["status"].get("resourceClaimStatuses")}
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda i: world.create(PODS, body(i)), range(count)))
        wait_for("each pod has its status", lambda: len(served()) == count, 90)
        first = served()
        for _ in range(2):
            list(pool.map(touch, range(count)))
    time.sleep(35)  # until the late events have come
    wait_for("the queue is empty", lambda: world.controller.metric('workqueue_depth{name="resource_claim"}') == 0)
    assert served() == first, "a recorded name changed"
    assert len(world.claims()) == count, f"{len(world.claims())} claims for {count} pods"
    world.rig.ask_proxy("DELETE", "/rules")


def pod_watch_behind_the_claim_watch_releases_no_live_pod(world):
    world.rig.delay_watch("pods", 5_000)
    world.create(CLAIMS, {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "shared"},
                          "spec": claim_spec()})
    shared = ("gpu", {"resourceClaimName": "shared"})
    world.create(PODS, pod("p", shared))
    world.await_running("p")
    end = time.monotonic() + 8
    while time.monotonic() < end:
        assert world.consumers("shared") == ["p"], "a live pod lost its reservation"
        time.sleep(0.1)
    world.rig.ask_proxy("DELETE", "/rules")


if __name__ == "__main__":
    main([c03_claim_watch_thirty_seconds_late_makes_no_twins, pod_watch_behind_the_claim_watch_releases_no_live_pod],
         proxied=True)
