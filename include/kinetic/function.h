#pragma once

#include "kinetic/client.h"
#include "kinetic/job_context.h"
#include "kinetic/job_of.h"
#include "kinetic/signature.h"
#include "kinetic/tasks_of.h"
#include "kinetic/try.h"

#include <type_traits>
#include <utility>
#include <vector>

/// C++ functions as jobs: docs/guide/cpp.md.
///
///     double Train(const Options& options, int epochs);
///     KINETIC_FUNCTION(Train);
///
///     int main(int argc, char** argv) {
///       kinetic::InitFunctions(argc, argv);
///       ...
///       Result<double> loss = client.Run(&Train, Options{}, 3);
///     }
namespace kinetic::inline v0 {

/// Enables jobs that call functions of this program. Call it at the start of main(). In a job, it
/// calls the job's function and ends the process, so that the rest of main() does not run. Otherwise
/// it returns.
KINETIC_EXPORT void InitFunctions(int argc, char** argv);

/// The implementation of the functions below.
namespace native {

/// A function that jobs of this program may call.
struct KINETIC_EXPORT Registration {
  Registration(const char* given_name, void (*address)(), Invoker given) noexcept;
  Registration(const Registration&) = delete;  ///< its address is registered
  ~Registration();
  const char* const name;
  void (*const function)();
  const Invoker invoker;
  Registration* next = nullptr;  ///< registered before
};

KINETIC_EXPORT JobSpec MakeCall(void (*function)(), Result<Value::List> arguments);
/// Returns an array with the arguments of each task.
KINETIC_EXPORT JobSpec MakeCalls(void (*function)(), std::vector<Result<Value::List>> arguments);

template <typename Function>
Registration Register(const char* name, Function function) noexcept {
  static_assert(Signature<Function>::kIsFunction,
                "KINETIC_FUNCTION takes the name of a function, not a lambda or an object");
  return Registration(name, AddressOf(function), Signature<Function>::kInvoker);
}

}  // namespace native

template <typename Callee, typename... Args>
JobSpec JobSpec::Call(Callee function, Args&&... arguments) {
  static_assert(
      native::Signature<Callee>::kIsFunction,
      "only a function registered with KINETIC_FUNCTION can run as a job: pass &Function, "
      "not a lambda or an object, and pass what a lambda captures as arguments");
  if constexpr (native::Signature<Callee>::kIsFunction)
    return native::MakeCall(native::AddressOf(function),
                            native::Signature<Callee>::Encode(std::forward<Args>(arguments)...));
  else
    return {};
}

template <typename Callee, typename Inputs>
JobSpec JobSpec::CallEach(Callee function, const Inputs& inputs) {
  static_assert(
      native::Signature<Callee>::kIsFunction,
      "only a function registered with KINETIC_FUNCTION can run as a job: pass &Function, "
      "not a lambda or an object");
  std::vector<Result<Value::List>> arguments;
  for (const auto& input : inputs) arguments.push_back(native::EncodeInput<Callee>(input));
  return native::MakeCalls(native::AddressOf(function), std::move(arguments));
}

template <typename Callee, typename Inputs>
auto Client::Map(const SubmitOptions& options, Callee function, const Inputs& inputs) {
  using Typed = TasksOf<typename native::Signature<Callee>::Type>;
  return Submit(JobSpec::CallEach(function, inputs), options).transform([](Job job) {
    return Typed(std::move(job));
  });
}

template <typename Callee, typename Inputs>
  requires(!std::is_same_v<Callee, SubmitOptions>)
auto Client::Map(Callee function, const Inputs& inputs) {
  return Map(SubmitOptions(), function, inputs);
}

template <typename Callee, typename... Args>
auto Client::Submit(const SubmitOptions& options, Callee function, Args&&... arguments) {
  using Typed = JobOf<typename native::Signature<Callee>::Type>;
  return Submit(JobSpec::Call(function, std::forward<Args>(arguments)...), options)
      .transform([](Job job) { return Typed(std::move(job)); });
}

template <typename Callee, typename... Args>
  requires(!std::is_convertible_v<Callee, JobSpec> && !std::is_same_v<Callee, SubmitOptions>)
auto Client::Submit(Callee function, Args&&... arguments) {
  return Submit(SubmitOptions(), function, std::forward<Args>(arguments)...);
}

template <typename Callee, typename... Args>
auto Client::Run(const SubmitOptions& options, Callee function, Args&&... arguments) {
  return Submit(options, function, std::forward<Args>(arguments)...).and_then([&](const auto& job) {
    return job.Get({.stop = options.stop, .deadline = options.deadline});
  });
}

template <typename Callee, typename... Args>
  requires(!std::is_same_v<Callee, SubmitOptions>)
auto Client::Run(Callee function, Args&&... arguments) {
  return Run(SubmitOptions(), function, std::forward<Args>(arguments)...);
}

}  // namespace kinetic::inline v0

// The empty namespace is an error inside of a function, whose registration would come too late.
#define KINETIC_FUNCTION_(name, ...)                                   \
  namespace {}                                                         \
  [[maybe_unused]] static const ::kinetic::native::Registration name = \
      ::kinetic::native::Register(#__VA_ARGS__, __VA_ARGS__)

/// Registers a function that jobs may call, by its name: `KINETIC_FUNCTION(sim::Train);`. Use it
/// outside of functions, in a source file of the program or of a library that it is linked with.
/// An instance of a template can be registered: `KINETIC_FUNCTION(Sum<double>);`. An overloaded
/// function needs a cast: `KINETIC_FUNCTION(static_cast<int (*)(int)>(Sum));`.
#define KINETIC_FUNCTION(...) \
  KINETIC_FUNCTION_(KINETIC_CONCAT_(kinetic_function_, __COUNTER__), __VA_ARGS__)
