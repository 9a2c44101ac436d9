#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kinetic::env {

/// What a Dockerfile needs besides itself, as far as its text tells.
struct DockerfileUse {
  /// Whether files of the context may come into the image. Said of all that is not understood.
  bool context = false;
  /// Of the images that it is built upon or copies from, once each: "docker.io". An image that a
  /// variable names is left out.
  std::vector<std::string> registries;
  /// The image that the last stage begins with, as it is written; empty: none, or not known.
  std::string base;
};

/// Any text has an answer; whether it is a Dockerfile is for whoever builds it.
///
/// @source  https://docs.docker.com/reference/dockerfile/
DockerfileUse UseOf(std::string_view dockerfile);

}  // namespace kinetic::env
