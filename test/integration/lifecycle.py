# SPDX-License-Identifier: Apache-2.0
"""The life of claims on a real scheduler, with exactly the rights that manifests/ give."""
import concurrent.futures
import time

from harness import CLAIMS, PODS, TEMPLATES, claim_spec, from_template, main, pod, template, wait_for


def two_devices_serve_three_pods_in_turn(world):
    world.create(TEMPLATES, template("one-gpu"))
    for name in ("p1", "p2", "p3"):
        world.create(PODS, pod(name, ("gpu", from_template("one-gpu"))))
    running = lambda: [name for name in ("p1", "p2", "p3") if world.phase(name) == "Running"]
    first = wait_for("two pods run", lambda: len(running()) == 2 and running(), 30)
    waiting = ({"p1", "p2", "p3"} - set(first)).pop()
    world.behave(first[0], "finish")
    world.await_running(waiting)
    wait_for("the finished pod's claim is gone", lambda: len(world.claims()) == 2)
    for name in ("p1", "p2", "p3"):
        world.delete(PODS, name)
    wait_for("no claim is left", lambda: not world.claims(), 30)


def claims_go_without_a_garbage_collector(world):
    world.create(TEMPLATES, template("one-gpu"))
    world.rig.tool("stop", "--dir", f"{world.rig.dir}/cluster", "gc")
    try:
        for name in ("p1", "p2"):
            world.create(PODS, pod(name, ("gpu", from_template("one-gpu"))))
        world.await_running("p1", "p2")
        for name in ("p1", "p2"):
            world.delete(PODS, name, grace=0)
        wait_for("no claim is left", lambda: not world.claims(), 20)
    finally:
        world.rig.tool("start", "--dir", f"{world.rig.dir}/cluster", "gc")


def generated_claim_looks_like_upstreams(world):
    wanted = template("labelled")
    wanted["spec"]["metadata"] = {"labels": {"a": "b"}, "annotations": {"c": "d"}}
    world.create(TEMPLATES, wanted)
    owner = world.create(PODS, pod("p", ("gpu", from_template("labelled")), schedulerName="nobody"))
    claim = wait_for("the claim", world.claims)[0]
    meta = claim["metadata"]
    assert meta["generateName"] == "p-gpu-" and meta["name"].startswith("p-gpu-"), meta
    assert meta["labels"] == {"a": "b"}, meta
    assert meta["annotations"] == {"c": "d", "resource.kubernetes.io/pod-claim-name": "gpu"}, meta
    assert meta["ownerReferences"] == [{"apiVersion": "v1", "kind": "Pod", "name": "p", "controller": True,
                                        "uid": owner["metadata"]["uid"]}], meta
    assert claim["spec"]["devices"]["requests"][0]["exactly"]["deviceClassName"] == "gpu.example.com", claim
    wait_for("the name in the status", lambda: world.statuses("p") == {"gpu": meta["name"]})


def not_needed_entry_is_respected(world):
    world.controller.stop()
    world.create(TEMPLATES, template("one-gpu"))
    world.create(PODS, pod("p", ("gpu", from_template("one-gpu")), schedulerName="nobody"))
    world.api.merge(world.path(PODS, "p", "status"), {"status": {"resourceClaimStatuses": [{"name": "gpu"}]}})
    world.controller.start()
    world.create(PODS, pod("q", ("gpu", from_template("one-gpu")), schedulerName="nobody"))
    wait_for("q is served", lambda: world.statuses("q"))
    assert len(world.claims()) == 1 and world.statuses("p") == {"gpu": None}, world.claims()


def pod_with_a_node_is_reserved(world):
    world.create(CLAIMS, {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "shared"},
                          "spec": claim_spec()})
    shared = ("gpu", {"resourceClaimName": "shared"})
    world.create(PODS, pod("first", shared))
    world.await_running("first")
    world.create(PODS, pod("direct", shared, nodeName="demo-node"))
    wait_for("both are consumers", lambda: sorted(world.consumers("shared")) == ["direct", "first"])


def burst_of_two_thousand_pods(world):
    count = 2000
    world.create(TEMPLATES, template("one-gpu"))
    creates = 'dra_claim_writes_total{operation="create",result="ok"}'
    writes = 'dra_claim_writes_total{operation="pod_status",result="ok"}'
    before = world.controller.metric(creates), world.controller.metric(writes)
    start = time.monotonic()
    body = lambda i: pod(f"p{i}", ("gpu", from_template("one-gpu")), schedulerName="nobody")
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda i: world.create(PODS, body(i)), range(count)))
    created = time.monotonic() - start
    wait_for("each pod has its status", lambda: world.controller.metric(writes) - before[1] >= count, 120)
    took = time.monotonic() - start
    wait_for("the queue is empty", lambda: world.controller.metric('workqueue_depth{name="resource_claim"}') == 0)
    assert len(world.claims()) == count
    assert world.controller.metric(creates) - before[0] == count, "more than one POST for a pod"
    assert world.controller.metric(writes) - before[1] == count, "more than one status write for a pod"
    print(f"      {count} pods created in {created:.1f} s, all served after {took:.1f} s", flush=True)
    deletes = 'dra_claim_writes_total{operation="delete",result="ok"}'
    deleted = world.controller.metric(deletes)
    start = time.monotonic()
    world.api.must("DELETE", world.path(PODS), {"gracePeriodSeconds": 0})
    wait_for("no claim is left", lambda: not world.claims(), 180)
    assert world.controller.metric(deletes) - deleted <= count, "a claim was deleted twice"
    print(f"      all pods deleted and no claim left after {time.monotonic() - start:.1f} s", flush=True)


if __name__ == "__main__":
    main([two_devices_serve_three_pods_in_turn, claims_go_without_a_garbage_collector,
          generated_claim_looks_like_upstreams, not_needed_entry_is_respected, pod_with_a_node_is_reserved,
          burst_of_two_thousand_pods])
