#pragma once

#include "backend/kubernetes/manifest/object_fields.h"
#include "backend/kubernetes/snapshot/cluster_snapshot.h"
#include "base/files/file_system.h"
#include "base/time/clock.h"
#include "support/source_folder.h"

#include <gtest/gtest.h>

#include <string>

namespace kinetic::backend {

/// The recorded state of a real cluster: tests/unit/backend/snapshots/record.py.
class SnapshotFile {
 public:
  explicit SnapshotFile(const std::string& name) {
    const Path path = test::SourceFolder() / "tests/unit/backend/snapshots" / (name + ".json");
    const auto text = ReadFile(PosixFileSystem(), path, 1 << 20);
    EXPECT_TRUE(text) << path;
    auto value = Value::FromJson(text.value_or("{}"));
    EXPECT_TRUE(value) << path;
    text_ = text.value_or("");
    if (value) object_ = *std::move(value);
  }

  /// The text of the file. Contains the server's messages with JSON escapes.
  const std::string& text() const { return text_; }
  /// The content, which can be changed before Read.
  Value& object() { return object_; }

  /// The result refers to this object.
  SnapshotView Read() const {
    SnapshotView view{.job_id = "wanted",
                      .job = Member("job"),
                      .job_existed = true,
                      .nodes_known = true,
                      .name_space = Member("name_space"),
                      .workload = Member("workload"),
                      .pending_workloads = Member("pending_workloads")};
    view.pods = Pointers("pods");
    view.events = Pointers("events");
    view.nodes = Pointers("nodes");
    view.quotas = Pointers("quotas");
    view.other_pods = Pointers("other_pods");
    view.now = TimeAt(object_, {"now"}).value_or(WallTime());
    return view;
  }

 private:
  const Value* Member(std::string_view name) const {
    const Value* member = object_.Find(name);
    return member == nullptr || member->IsNull() ? nullptr : member;
  }

  Objects Pointers(std::string_view member) const {
    Objects objects;
    for (const Value& item : ListAt(object_, {member})) objects.push_back(&item);
    return objects;
  }

  std::string text_;
  Value object_;
};

}  // namespace kinetic::backend
