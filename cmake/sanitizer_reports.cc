// Writes the reports of sanitizers to a folder, because the output of daemons is lost.
// scripts/sanitized reads them.

extern "C" {
const char* __asan_default_options();   // NOLINT(bugprone-reserved-identifier)
const char* __tsan_default_options();   // NOLINT(bugprone-reserved-identifier)
const char* __ubsan_default_options();  // NOLINT(bugprone-reserved-identifier)

[[gnu::visibility("default")]] const char* __asan_default_options() {
  return "log_path=" KINETIC_SANITIZER_REPORTS;
}
[[gnu::visibility("default")]] const char* __tsan_default_options() {
  return "log_path=" KINETIC_SANITIZER_REPORTS;
}
[[gnu::visibility("default")]] const char* __ubsan_default_options() {
  return "print_stacktrace=1:log_path=" KINETIC_SANITIZER_REPORTS;
}
}
