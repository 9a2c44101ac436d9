#include "backend/kubernetes/manifest/pod_fields.h"
#include "unit/backend/parse.h"

#include <gtest/gtest.h>

#include <string>

namespace kinetic::backend {
namespace {

std::string Merged(std::string_view original, std::string_view patch) {
  const auto merged = StrategicMerge(Json(original), Json(patch));
  return merged ? merged->ToJson() : "error: " + merged.error().message;
}

/// Returns the location of the error, its detail "key".
std::string PlaceOfError(std::string_view original, std::string_view patch) {
  const auto merged = StrategicMerge(Json(original), Json(patch));
  if (merged) return "no error";
  EXPECT_EQ(merged.error().code, ErrorCode::kInvalidArgument);
  for (const auto& [name, value] : merged.error().details) {
    if (name == "key") return value;
  }
  return "no place";
}

TEST(StrategicMerge, MergesMapsByMember) {
  EXPECT_EQ(Merged(R"({"a":1,"m":{"x":1,"y":2}})", R"({"m":{"y":3,"z":4},"b":5})"),
            R"({"a":1,"m":{"x":1,"y":3,"z":4},"b":5})");
}

TEST(StrategicMerge, NullRemovesMember) {
  EXPECT_EQ(Merged(R"({"m":{"x":1,"y":2}})", R"({"m":{"x":null,"absent":null}})"),
            R"({"m":{"y":2}})");
  EXPECT_EQ(Merged(R"({})", R"({"m":{"x":null,"y":1}})"), R"({"m":{"y":1}})");
}

TEST(StrategicMerge, NullPatchChangesNothing) {
  EXPECT_EQ(Merged(R"({"a":1})", "null"), R"({"a":1})");
}

TEST(StrategicMerge, ReplacesOtherLists) {
  EXPECT_EQ(Merged(R"({"command":["a","b"],"envFrom":[{"prefix":"A"}]})",
                   R"({"command":["c"],"envFrom":[{"prefix":"B"}]})"),
            R"({"command":["c"],"envFrom":[{"prefix":"B"}]})");
}

struct ListCase {
  std::string field, key;
};

class StrategicMergeLists : public testing::TestWithParam<ListCase> {};

TEST_P(StrategicMergeLists, AreMergedByKey) {
  const auto& [field, key] = GetParam();
  const bool number = field == "ports";
  const std::string a = number ? "1" : "\"a\"";
  const std::string b = number ? "2" : "\"b\"";
  const auto item = [&](const std::string& name, const std::string& rest) {
    return "{\"" + key + "\":" + name + rest + "}";
  };
  const auto list = [&](const std::string& items) { return "{\"" + field + "\":[" + items + "]}"; };
  EXPECT_EQ(
      Merged(list(item(a, ",\"v\":1,\"w\":1")), list(item(a, ",\"v\":2") + "," + item(b, ""))),
      list(item(a, ",\"v\":2,\"w\":1") + "," + item(b, "")));
  EXPECT_EQ(Merged(list(item(a, "") + "," + item(b, "")), list(item(a, ",\"$patch\":\"delete\""))),
            list(item(b, "")));
  EXPECT_EQ(PlaceOfError(list(item(a, "")), list(R"({"v":1})")), field + "[0]");
}

// From the API's types: patchStrategy=merge with its patchMergeKey.
INSTANTIATE_TEST_SUITE_P(
    All, StrategicMergeLists,
    testing::Values(ListCase{"containers", "name"}, ListCase{"initContainers", "name"},
                    ListCase{"ephemeralContainers", "name"}, ListCase{"volumes", "name"},
                    ListCase{"env", "name"}, ListCase{"imagePullSecrets", "name"},
                    ListCase{"resourceClaims", "name"}, ListCase{"schedulingGates", "name"},
                    ListCase{"ports", "containerPort"}, ListCase{"volumeMounts", "mountPath"},
                    ListCase{"volumeDevices", "devicePath"}, ListCase{"hostAliases", "ip"},
                    ListCase{"topologySpreadConstraints", "topologyKey"}),
    [](const auto& param_info) { return param_info.param.field; });

TEST(StrategicMerge, MergesNestedLists) {
  EXPECT_EQ(Merged(R"({"containers":[{"name":"m","env":[{"name":"A","value":"1"}]}]})",
                   R"({"containers":[{"name":"m","env":[{"name":"B","value":"2"}]}]})"),
            R"({"containers":[{"name":"m","env":[{"name":"A","value":"1"},)"
            R"({"name":"B","value":"2"}]}]})");
}

TEST(StrategicMerge, ReplaceAppliesToWholeListOrMap) {
  EXPECT_EQ(Merged(R"({"env":[{"name":"A"},{"name":"B"}]})",
                   R"({"env":[{"name":"C"},{"$patch":"replace"}]})"),
            R"({"env":[{"name":"C"}]})");
  EXPECT_EQ(Merged(R"({"m":{"x":1}})", R"({"m":{"$patch":"replace","y":2}})"), R"({"m":{"y":2}})");
  EXPECT_EQ(Merged(R"({"m":{"x":1}})", R"({"m":{"$patch":"delete"}})"), R"({"m":{}})");
  EXPECT_EQ(PlaceOfError(R"({"env":[]})", R"({"env":[{"$patch":"replace","name":"C"}]})"),
            "env[0]");
}

TEST(StrategicMerge, RetainKeysRemovesOtherMembers) {
  EXPECT_EQ(Merged(R"({"volumes":[{"name":"v","emptyDir":{}}]})",
                   R"({"volumes":[{"name":"v","$retainKeys":["name","nfs"],"nfs":{"path":"/"}}]})"),
            R"({"volumes":[{"name":"v","nfs":{"path":"/"}}]})");
  EXPECT_EQ(PlaceOfError(R"({"m":{}})", R"({"m":{"$retainKeys":"x"}})"), "m.$retainKeys");
}

TEST(StrategicMerge, AddsTolerations) {
  const std::string tpu = R"({"key":"google.com/tpu","operator":"Exists"})";
  const std::string other = R"({"key":"google.com/tpu","operator":"Equal","value":"x"})";
  const std::string all = R"({"operator":"Exists"})";
  EXPECT_EQ(Merged(R"({"tolerations":[)" + tpu + "]}",
                   R"({"tolerations":[)" + tpu + "," + other + "," + all + "]}"),
            R"({"tolerations":[)" + tpu + "," + other + "," + all + "]}");
  EXPECT_EQ(Merged(R"({"tolerations":[)" + tpu + "," + other + "," + all + "]}",
                   R"({"tolerations":[{"key":"google.com/tpu","$patch":"delete"}]})"),
            R"({"tolerations":[)" + all + "]}");
}

TEST(StrategicMerge, RejectsValueOfAnotherType) {
  EXPECT_EQ(PlaceOfError(R"({"spec":{"env":[]}})", R"({"spec":{"env":{}}})"), "spec.env");
  EXPECT_EQ(PlaceOfError(R"({"spec":{"a":{}}})", R"({"spec":{"a":"x"}})"), "spec.a");
  EXPECT_EQ(PlaceOfError(R"({"spec":{"a":"x"}})", R"({"spec":{"a":{"b":1}}})"), "spec.a");
  EXPECT_EQ(PlaceOfError(R"({"spec":{"a":"x"}})", R"({"spec":{"a":3}})"), "spec.a");
  EXPECT_EQ(PlaceOfError(R"({})", R"({"env":["A"]})"), "env[0]");
  EXPECT_EQ(PlaceOfError(R"({})", R"([])"), "");
}

TEST(StrategicMerge, RejectsUnknownDirectives) {
  EXPECT_EQ(PlaceOfError(R"({})", R"({"m":{"$patch":"remove"}})"), "m.$patch");
  EXPECT_EQ(PlaceOfError(R"({})", R"({"$setElementOrder/env":[]})"), "$setElementOrder/env");
}

}  // namespace
}  // namespace kinetic::backend
