// SPDX-License-Identifier: Apache-2.0
#include "metrics/client_probe.h"

#include <map>
#include <string>

#include "base/mutex.h"
#include "metrics/families.h"

namespace dra::metrics {
namespace {

// HTTP has few methods and the server few codes; the caps are for a server that makes codes up.
constexpr std::size_t kMaxMethods = 16;
constexpr std::size_t kMaxCodes = 64;

const Buckets kSecondsBuckets{0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60};
const Buckets kBytesBuckets{64,    256,    512,     1024,    4096,    16384,
                            65536, 262144, 1048576, 4194304, 16777216};

// client-go's name for a request that got no answer.
std::string CodeLabel(int code) { return code == 0 ? "<error>" : std::to_string(code); }

}  // namespace

struct ClientProbe::Series {
  using CodeCounters = std::map<int, Counter*>;

  // The series of one HTTP method; created when first used, as client-go does.
  struct Verb {
    std::string name;
    Histogram* duration = nullptr;
    Histogram* request_size = nullptr;
    Histogram* response_size = nullptr;
    Histogram* waited = nullptr;
    CodeCounters requests;
    CodeCounters retries;
  };

  Series(Registry& registry, std::string_view host_label)
      : host(host_label),
        requests(CounterFamily(
            registry, "rest_client_requests_total",
            "[ALPHA] Number of HTTP requests, partitioned by status code, method, and host.")),
        retries(CounterFamily(
            registry, "rest_client_request_retries_total",
            "[ALPHA] Number of request retries, partitioned by status code, verb, and host.")),
        duration(
            HistogramFamily(registry, "rest_client_request_duration_seconds",
                            "[ALPHA] Request latency in seconds. Broken down by verb, and host.")),
        request_size(
            HistogramFamily(registry, "rest_client_request_size_bytes",
                            "[ALPHA] Request size in bytes. Broken down by verb and host.")),
        response_size(
            HistogramFamily(registry, "rest_client_response_size_bytes",
                            "[ALPHA] Response size in bytes. Broken down by verb and host.")),
        waited(HistogramFamily(registry, "rest_client_rate_limiter_duration_seconds",
                               "[ALPHA] Client side rate limiter latency in seconds. Broken down "
                               "by verb, and host.")) {}

  Verb& For(std::string_view method) REQUIRES(mutex) {
    auto found = verbs.find(method);
    if (found != verbs.end()) return found->second;
    const std::string name(verbs.size() < kMaxMethods ? method : kOtherValue);
    found = verbs.try_emplace(name).first;
    found->second.name = name;
    return found->second;
  }

  Histogram& Lazily(Histogram*& series, prometheus::Family<Histogram>& family, const Verb& verb,
                    const Buckets& buckets) REQUIRES(mutex) {
    if (series == nullptr) {
      series = &family.Add({{"verb", verb.name}, {"host", host}}, buckets);
    }
    return *series;
  }

  // `method_label`: rest_client_requests_total says "method" where the others say "verb".
  Counter& ForCode(CodeCounters& known, prometheus::Family<Counter>& family,
                   const char* method_label, const Verb& verb, int code) REQUIRES(mutex) {
    const bool full = known.size() >= kMaxCodes && !known.contains(code);
    Counter*& series = known[full ? -1 : code];
    if (series == nullptr) {
      series = &family.Add({{"code", full ? kOtherValue : CodeLabel(code)},
                            {method_label, verb.name},
                            {"host", host}});
    }
    return *series;
  }

  const std::string host;
  prometheus::Family<Counter>& requests;
  prometheus::Family<Counter>& retries;
  prometheus::Family<Histogram>& duration;
  prometheus::Family<Histogram>& request_size;
  prometheus::Family<Histogram>& response_size;
  prometheus::Family<Histogram>& waited;

  Mutex mutex;
  std::map<std::string, Verb, std::less<>> verbs GUARDED_BY(mutex);
};

ClientProbe::ClientProbe(Registry& registry, std::string_view host)
    : series_(std::make_unique<Series>(registry, host)) {}

ClientProbe::~ClientProbe() = default;

void ClientProbe::Request(std::string_view method, int code, std::chrono::nanoseconds latency,
                          std::size_t request_bytes, std::size_t response_bytes) {
  Series& s = *series_;
  MutexLock lock(s.mutex);
  Series::Verb& verb = s.For(method);
  s.ForCode(verb.requests, s.requests, "method", verb, code).Increment();
  s.Lazily(verb.duration, s.duration, verb, kSecondsBuckets).Observe(Seconds(latency));
  s.Lazily(verb.request_size, s.request_size, verb, kBytesBuckets)
      .Observe(static_cast<double>(request_bytes));
  if (code == 0 && response_bytes == 0) return;  // nothing came back: there is no size
  s.Lazily(verb.response_size, s.response_size, verb, kBytesBuckets)
      .Observe(static_cast<double>(response_bytes));
}

void ClientProbe::Waited(std::string_view method, std::chrono::nanoseconds time) {
  Series& s = *series_;
  MutexLock lock(s.mutex);
  Series::Verb& verb = s.For(method);
  s.Lazily(verb.waited, s.waited, verb, kSecondsBuckets).Observe(Seconds(time));
}

void ClientProbe::Retried(std::string_view method, int code) {
  Series& s = *series_;
  MutexLock lock(s.mutex);
  Series::Verb& verb = s.For(method);
  s.ForCode(verb.retries, s.retries, "verb", verb, code).Increment();
}

}  // namespace dra::metrics
