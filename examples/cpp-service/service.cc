// An HTTP server that runs a job for each request and streams the job's log as the response.
//
//     service PORT [PROFILE]
//     curl -N -X POST 'http://localhost:8080/primes?limit=50'
#include <httplib.h>
#include <kinetic/function.h>
#include <kinetic/kinetic.h>
#include <kinetic/settings.h>

#include <cstddef>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>

constexpr int kMaxLimit = 2'000'000'000;

// The job: prints the primes up to a limit, and returns their number.
int CountPrimes(int limit) {
  int count = 0;
  for (int number = 2; number <= limit; ++number) {
    bool is_prime = true;
    for (int divisor = 2; is_prime && divisor <= number / divisor; ++divisor)
      is_prime = number % divisor != 0;
    if (!is_prime) continue;
    ++count;
    std::cout << number << std::endl;
  }
  return count;
}
KINETIC_FUNCTION(CountPrimes);

bool Write(httplib::DataSink& sink, std::string_view text) {
  return sink.write(text.data(), text.size());
}

// Sends the log of a job, and a last line with its outcome. Cancels the job of a client that has
// closed the connection.
bool SendJob(const kinetic::Job& job, httplib::DataSink& sink) {
  const auto read = job.Logs({.follow = true}, [&](const kinetic::LogRecord& record) {
    if (Write(sink, record.text)) return kinetic::Status();
    return kinetic::Status(kinetic::Fail(kinetic::ErrorCode::kAborted, "the client is gone"));
  });
  if (!read) {
    (void)job.Cancel();
    return false;
  }
  std::ostringstream last;
  if (const auto outcome = job.Wait()) {
    last << *outcome << ' ' << outcome->value.ToJson() << '\n';
  } else {
    last << outcome.error() << '\n';
  }
  const bool sent = Write(sink, last.str());
  sink.done();
  return sent;
}

void Respond(kinetic::Client& client, const httplib::Request& request,
             httplib::Response& response) {
  const auto limit = kinetic::Value::FromJson(request.get_param_value("limit"));
  const auto number = limit ? limit->As<int>() : kinetic::Failure(limit.error());
  if (!number || *number > kMaxLimit) {
    response.status = 400;
    response.set_content("limit: expected a number up to 2000000000\n", "text/plain");
    return;
  }
  const auto job = client.Submit(kinetic::JobSpec::Call(&CountPrimes, *number));
  if (!job) {
    std::ostringstream error;
    error << job.error() << '\n';
    response.status = 500;
    response.set_content(error.str(), "text/plain");
    return;
  }
  response.set_header("Job", job->id());
  response.set_chunked_content_provider(
      "text/plain",
      [job = *job](std::size_t, httplib::DataSink& sink) { return SendJob(job, sink); });
}

int main(int argc, char** argv) {
  kinetic::InitFunctions(argc, argv);
  if (argc < 2) {
    std::cerr << "usage: service PORT [PROFILE]\n";
    return 2;
  }
  auto client = kinetic::Client::Open(kinetic::LoadProfile(argc > 2 ? argv[2] : ""));
  if (!client) return kinetic::Report(std::cerr, client.error()), 1;
  httplib::Server server;
  // A client is safe to use from all threads of the server.
  server.Post("/primes", [&](const httplib::Request& request, httplib::Response& response) {
    Respond(*client, request, response);
  });
  const int port = std::stoi(argv[1]);
  const int bound = port == 0 ? server.bind_to_any_port("localhost") : port;
  if (port != 0 && !server.bind_to_port("localhost", port)) {
    std::cerr << "port " << port << " is in use\n";
    return 1;
  }
  std::cout << "http://localhost:" << bound << std::endl;
  return server.listen_after_bind() ? 0 : 1;
}
