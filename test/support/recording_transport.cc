// SPDX-License-Identifier: Apache-2.0
#include "support/recording_transport.h"

#include <algorithm>

#include "support/fake_store.h"

namespace dra::test {

// Waits after the read, too: it may have been blocked in it since before the hold.
class RecordingTransport::HeldStream final : public kube::ByteStream {
 public:
  HeldStream(RecordingTransport& link, std::string path, std::unique_ptr<kube::ByteStream> inner)
      : link_(link), path_(std::move(path)), inner_(std::move(inner)) {}

  Result<std::size_t> Read(char* buffer, std::size_t size, const std::stop_token& stop) override {
    auto count = inner_->Read(buffer, size, stop);
    if (link_.AwaitRelease(path_, stop)) return count;
    return Error(Code::kCancelled, "stopped while the watch was held back");
  }

 private:
  RecordingTransport& link_;
  const std::string path_;
  const std::unique_ptr<kube::ByteStream> inner_;
};

std::string RecordedWrite::ToString() const {
  return std::string(kube::ToString(method)) + " " + path + " " + body + " -> " +
         std::to_string(status) + (resource_version.empty() ? "" : " at " + resource_version);
}

Result<kube::Response> RecordingTransport::Send(const kube::Request& request,
                                                const std::stop_token& stop) {
  if (auto planned = TakePlanned(request)) return *std::move(planned);
  auto answer = inner_.Send(request, stop);
  if (request.method == kube::Method::kGet) return answer;
  const std::string path = request.target.substr(0, request.target.find('?'));
  if (path.find("/events") != std::string::npos) return answer;
  RecordedWrite write{request.method, path, request.body, 0, ""};
  if (answer.ok()) {
    write.status = answer->status;
    const Json body = Json::parse(answer->body, nullptr, false);
    if (answer->status < 300) write.resource_version = MetaField(body, "resourceVersion");
  }
  MutexLock lock(mutex_);
  writes_.push_back(std::move(write));
  return answer;
}

Result<kube::StreamResponse> RecordingTransport::Open(const kube::Request& request,
                                                      const std::stop_token& stop) {
  auto response = inner_.Open(request, stop);
  if (response.ok() && response->stream != nullptr) {
    response->stream = std::make_unique<HeldStream>(
        *this, request.target.substr(0, request.target.find('?')), std::move(response->stream));
  }
  return response;
}

bool RecordingTransport::AwaitRelease(const std::string& path, const std::stop_token& stop) {
  MutexLock lock(mutex_);
  return released_.wait(lock, stop, [&] {
    return std::none_of(held_.begin(), held_.end(),
                        [&](const std::string& plural) { return path.ends_with("/" + plural); });
  });
}

void RecordingTransport::HoldWatch(const kube::Resource& resource) {
  MutexLock lock(mutex_);
  held_.insert(std::string(resource.plural));
}

void RecordingTransport::ReleaseWatch(const kube::Resource& resource) {
  MutexLock lock(mutex_);
  held_.erase(std::string(resource.plural));
  released_.notify_all();
}

void RecordingTransport::AnswerNext(kube::Method method, std::string part, kube::Response answer) {
  MutexLock lock(mutex_);
  planned_.push_back({method, std::move(part), std::move(answer)});
}

std::optional<kube::Response> RecordingTransport::TakePlanned(const kube::Request& request) {
  MutexLock lock(mutex_);
  const auto found = std::find_if(planned_.begin(), planned_.end(), [&](const Planned& planned) {
    return planned.method == request.method &&
           request.target.find(planned.part) != std::string::npos;
  });
  if (found == planned_.end()) return std::nullopt;
  kube::Response answer = std::move(found->answer);
  planned_.erase(found);
  return answer;
}

std::vector<RecordedWrite> RecordingTransport::Writes() const {
  MutexLock lock(mutex_);
  return writes_;
}

}  // namespace dra::test
