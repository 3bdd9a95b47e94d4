# SPDX-License-Identifier: Apache-2.0
"""Public bug reports, replayed on a real control plane. The numbers are those of docs/compatibility.md."""
import time

from harness import CLAIMS, PODS, TEMPLATES, claim_spec, from_template, main, pod, template, wait_for


def user_claim(world, name="shared"):
    world.create(CLAIMS, {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": name},
                          "spec": claim_spec()})
    return "gpu", {"resourceClaimName": name}


def c02_claim_deleted_while_nobody_ran_is_cleaned_up_at_start(world):
    shared = user_claim(world)
    world.create(PODS, pod("p", shared))
    world.await_running("p")
    world.controller.stop()
    world.delete(CLAIMS, "shared")
    world.delete(PODS, "p", grace=0)
    wait_for("the pod is gone", lambda: world.get(PODS, "p") is None)
    assert world.get(CLAIMS, "shared") is not None, "the finalizer did not hold the claim"
    world.controller.start()
    wait_for("the claim is gone", lambda: world.get(CLAIMS, "shared") is None, 10)


def c02_consumer_replaced_by_a_pod_of_the_same_name(world):
    shared = user_claim(world)
    world.create(PODS, pod("p", shared))
    world.await_running("p")
    world.controller.stop(kill=True)
    world.delete(PODS, "p", grace=0)
    wait_for("the pod is gone", lambda: world.get(PODS, "p") is None)
    world.create(PODS, pod("p", shared, schedulerName="nobody"))
    world.controller.start()
    wait_for("the old pod is no consumer", lambda: not world.consumers("shared"), 10)


def c04_statuses_of_two_templates_do_not_flip(world):
    for name in ("t-model", "t-gpu"):
        world.create(TEMPLATES, template(name))
    world.create(PODS, pod("p", ("model", from_template("t-model")), ("gpu", from_template("t-gpu")),
                           schedulerName="nobody"))
    before = wait_for("both names", lambda: len(world.statuses("p")) == 2 and world.statuses("p"))
    writes = 'dra_claim_writes_total{operation="pod_status",result="ok"}'
    count = world.controller.metric(writes)
    uid = world.get(CLAIMS, before["gpu"])["metadata"]["uid"]
    world.delete(CLAIMS, before["gpu"])
    again = lambda: world.get(CLAIMS, world.statuses("p")["gpu"])
    wait_for("the claim is made again", lambda: again() and again()["metadata"]["uid"] != uid)  # W4
    assert world.statuses("p").keys() == {"model", "gpu"}
    version = world.get(PODS, "p")["metadata"]["resourceVersion"]
    time.sleep(5)
    assert world.get(PODS, "p")["metadata"]["resourceVersion"] == version, "the pod's status is rewritten"
    assert world.controller.metric(writes) - count <= 1


def c05_late_template_is_used_within_two_seconds(world):
    world.create(TEMPLATES, template("present"))
    world.create(PODS, pod("p", ("a", from_template("late")), ("b", from_template("present")), schedulerName="nobody"))
    wait_for("the present template's claim", lambda: world.statuses("p").keys() == {"b"})
    wait_for("an event that names the template",
             lambda: any('"late"' in event["message"] for event in world.events("FailedResourceClaimCreation")))
    time.sleep(3)
    world.create(TEMPLATES, template("late"))
    wait_for("both claims", lambda: world.statuses("p").keys() == {"a", "b"}, 2)
    assert len(world.events("FailedResourceClaimCreation")) == 1, "an event per retry"


def c06_claim_outlives_its_template(world):
    world.create(TEMPLATES, template("short"))
    world.create(PODS, pod("p", ("gpu", from_template("short"))))
    wait_for("the claim", lambda: world.statuses("p"))
    world.delete(TEMPLATES, "short")
    world.await_running("p")


def c08_finished_pod_is_released_once(world):
    shared = user_claim(world)
    for name in ("p1", "p2"):
        world.create(PODS, pod(name, shared))
    world.await_running("p1", "p2")
    world.behave("p1", "finish")
    wait_for("p1 is released", lambda: world.consumers("shared") == ["p2"])
    world.controller.stop()
    world.controller.start()
    for i in range(10):
        world.api.merge(world.path(CLAIMS, "shared"), {"metadata": {"labels": {"touch": str(i)}}})
        world.api.merge(world.path(PODS, "p1"), {"metadata": {"labels": {"touch": str(i)}}})
        time.sleep(0.3)
        assert world.consumers("shared") == ["p2"]
    for operation in ("reserve", "release"):
        assert world.controller.metric(f'dra_claim_writes_total{{operation="{operation}",result="ok"}}') == 0


def c09_foreign_consumer_does_not_stop_the_release_of_pods(world):
    shared = user_claim(world)
    world.create(PODS, pod("p1", shared))
    world.await_running("p1")
    claim = world.get(CLAIMS, "shared")
    claim["status"]["reservedFor"].append({"apiGroup": "vm.example.com", "resource": "virtualmachines", "name": "vm1",
                                           "uid": "vm-uid"})
    world.api.must("PUT", world.path(CLAIMS, "shared", "status"), claim)
    world.behave("p1", "finish")
    wait_for("only vm1 is left", lambda: world.consumers("shared") == ["vm1"])
    assert world.get(CLAIMS, "shared")["status"].get("allocation"), "the allocation was cleared under vm1"


def c30_shared_claim_is_deallocated_by_the_last_pod_and_kept(world):
    shared = user_claim(world)
    names = ("p1", "p2", "p3")
    for name in names:
        world.create(PODS, pod(name, shared))
    world.await_running(*names)
    for name in names:
        world.behave(name, "finish")
    wait_for("the claim is deallocated", lambda: not world.get(CLAIMS, "shared").get("status", {}).get("allocation"))
    assert not world.get(CLAIMS, "shared")["metadata"].get("finalizers")
    wait_for("an event says so", lambda: world.events("Deallocated"))


def c35_long_and_dotted_names_are_valid(world):
    world.create(TEMPLATES, template("one-gpu"))
    dotted = "a" * 44 + "." + "b" * 200  # upstream cuts this one right after the dot
    for name, entry in (("n" * 253, "gpu"), (dotted, "c" * 10), ("p", "c" * 60)):
        world.create(PODS, pod(name, (entry, from_template("one-gpu")), schedulerName="nobody"))
        wait_for(f"the claim of {name[:10]}...", lambda name=name: world.statuses(name))


def w1_finished_pod_gets_no_claim_after_a_restart(world):
    world.create(TEMPLATES, template("one-gpu"))
    world.create(PODS, pod("p", ("gpu", from_template("one-gpu"))))
    world.await_running("p")
    world.behave("p", "finish")
    wait_for("its claim is gone", lambda: not world.claims())
    world.controller.stop()
    world.controller.start()
    world.api.merge(world.path(PODS, "p"), {"metadata": {"labels": {"touched": "yes"}}})
    time.sleep(2)
    assert not world.claims(), "a claim for a finished pod"


if __name__ == "__main__":
    main([c02_claim_deleted_while_nobody_ran_is_cleaned_up_at_start, c02_consumer_replaced_by_a_pod_of_the_same_name,
          c04_statuses_of_two_templates_do_not_flip, c05_late_template_is_used_within_two_seconds,
          c06_claim_outlives_its_template, c08_finished_pod_is_released_once,
          c09_foreign_consumer_does_not_stop_the_release_of_pods,
          c30_shared_claim_is_deallocated_by_the_last_pod_and_kept, c35_long_and_dotted_names_are_valid,
          w1_finished_pod_gets_no_claim_after_a_restart])
