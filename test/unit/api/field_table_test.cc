// SPDX-License-Identifier: Apache-2.0
#include "api/field_table.h"

#include <algorithm>
#include <stdexcept>

#include <gtest/gtest.h>

#include "api/decoder.h"
#include "api/pod.h"
#include "api/resource_claim.h"
#include "api/resource_claim_template.h"

namespace dra::api {
namespace {

// A kind with everything that a table can hold: lists in lists, maps, numbers.
struct Counter {
  std::int64_t value = 0;
};
struct Device {
  std::string name;
  std::map<std::string, Counter> capacity;
  std::vector<std::string> taints;
};
struct Pool {
  std::string name;
  std::vector<Device> devices;
};
struct Slice {
  ObjectMeta meta;
  std::vector<Pool> pools;
  int negative = 0;
};

FieldTable<Slice> SliceFields() {
  FieldTable<Counter> counter;
  counter.Int("value", &Counter::value);
  FieldTable<Device> device;
  device.String("name", &Device::name)
      .Map("capacity", &Device::capacity, counter)
      .Strings("taints", &Device::taints);
  FieldTable<Pool> pool;
  pool.String("name", &Pool::name).List("devices", &Pool::devices, device);
  FieldTable<Slice> slice;
  slice.Object("metadata", &Slice::meta, Fields<ObjectMeta>())
      .List("spec.pools", &Slice::pools, pool)
      .Int("spec.counters{}.value",
           [](Slice& object, std::int64_t value) { object.negative += value < 0 ? 1 : 0; });
  return slice;
}

const FieldRow* FindRow(const std::vector<FieldRow>& rows, std::string_view path) {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const FieldRow& row) { return row.path == path; });
  return found == rows.end() ? nullptr : &*found;
}

TEST(FieldTableTest, ListsItsRowsWithFullPathsAndTypes) {
  const auto rows = SliceFields().Rows();
  const FieldRow expected[] = {{"metadata", JsonType::kObject},
                               {"metadata.finalizers", JsonType::kList},
                               {"metadata.finalizers[]", JsonType::kString},
                               {"metadata.ownerReferences[].controller", JsonType::kBool},
                               {"spec.pools", JsonType::kList},
                               {"spec.pools[].devices[].name", JsonType::kString},
                               {"spec.pools[].devices[].capacity", JsonType::kMap},
                               {"spec.pools[].devices[].capacity{}.value", JsonType::kInt},
                               {"spec.pools[].devices[].taints[]", JsonType::kString},
                               {"spec.counters{}.value", JsonType::kInt}};
  for (const FieldRow& row : expected) {
    const FieldRow* found = FindRow(rows, row.path);
    ASSERT_NE(found, nullptr) << row.path;
    EXPECT_EQ(found->type, row.type) << row.path;
  }
}

TEST(FieldTableTest, ShowsTheRowsOfTheKinds) {
  const auto pod = Fields<Pod>().Rows();
  ASSERT_NE(FindRow(pod, "status.resourceClaimStatuses[].resourceClaimName"), nullptr);
  EXPECT_EQ(FindRow(pod, "status.resourceClaimStatuses[].resourceClaimName")->type,
            JsonType::kString);
  ASSERT_NE(FindRow(pod, "metadata.deletionTimestamp"), nullptr);
  const auto claim = Fields<ResourceClaim>().Rows();
  ASSERT_NE(FindRow(claim, "spec.devices.requests[].exactly.adminAccess"), nullptr);
  ASSERT_NE(FindRow(claim, "metadata.annotations['resource.kubernetes.io/pod-claim-name']"),
            nullptr);
  const auto from = Fields<ResourceClaimTemplate>().Rows();
  ASSERT_NE(FindRow(from, "spec.spec"), nullptr);
  EXPECT_EQ(FindRow(from, "spec.metadata.labels")->type, JsonType::kMap);
}

TEST(FieldTableTest, ProjectsListsInListsMapsAndNumbers) {
  const FieldTable<Slice> fields = SliceFields();
  Decoder decoder;
  Slice slice;
  const auto result = decoder.Project(
      R"({"metadata":{"name":"s","finalizers":["f"]},
          "spec":{"counters":{"a":{"value":-1},"b":{"value":2},"c":{"value":-3}},
                  "pools":[{"name":"p0","devices":[]},
                           {"name":"p1","devices":[
                              {"name":"d0","capacity":{"mem":{"value":80},"cpu":{"value":-9}}},
                              {"name":"d1","taints":["t0","t1"]}]}]}})",
      fields.root(), &slice);
  ASSERT_TRUE(result.ok()) << result.error().Describe();
  EXPECT_EQ(slice.meta.finalizers, std::vector<std::string>{"f"});
  ASSERT_EQ(slice.pools.size(), 2U);
  ASSERT_EQ(slice.pools[1].devices.size(), 2U);
  EXPECT_EQ(slice.pools[1].devices[0].capacity.at("mem").value, 80);
  EXPECT_EQ(slice.pools[1].devices[0].capacity.at("cpu").value, -9);
  EXPECT_EQ(slice.pools[1].devices[1].taints, (std::vector<std::string>{"t0", "t1"}));
  EXPECT_EQ(slice.negative, 2);
}

TEST(FieldTableTest, RefusesNumbersThatAreNotIntegers) {
  const FieldTable<Slice> fields = SliceFields();
  Decoder decoder;
  for (const char* number : {"1.5", "1e3", "9223372036854775808", "\"1\"", "-"}) {
    Slice slice;
    const auto result =
        decoder.Project(std::string(R"({"spec":{"counters":{"a":{"value":)") + number + "}}}}",
                        fields.root(), &slice);
    ASSERT_FALSE(result.ok()) << number;
    EXPECT_TRUE(result.error().message().starts_with("spec.counters{}.value: ")) << number;
  }
}

TEST(FieldTableTest, RefusesRowsThatCannotBe) {
  FieldTable<Pool> element;
  element.String("name", &Pool::name);
  const auto table = [&] {
    FieldTable<Slice> fields;
    fields.List("spec.pools", &Slice::pools, element);
    return fields;
  };
  const auto ignore = [](Slice&, std::int64_t) {};
  EXPECT_THROW(table().Int("spec.pools", ignore), std::logic_error);      // another type
  EXPECT_THROW(table().Int("spec.pools[].x", ignore), std::logic_error);  // another target
  EXPECT_THROW(table().Int("spec.pools.x", ignore), std::logic_error);    // not a list
  EXPECT_THROW(table().Int("a.b", ignore).Int("a.b", ignore), std::logic_error);
  EXPECT_THROW(table().Int("", ignore), std::logic_error);
  EXPECT_THROW(table().Int("a..b", ignore), std::logic_error);
  EXPECT_THROW(table().Int("a['b", ignore), std::logic_error);
  EXPECT_THROW(table().Int("x[].y", ignore).List("x", &Slice::pools, element), std::logic_error);
}

}  // namespace
}  // namespace dra::api
