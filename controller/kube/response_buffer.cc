// SPDX-License-Identifier: Apache-2.0
#include "kube/response_buffer.h"

#include <algorithm>
#include <cstring>

namespace dra::kube {
namespace {

Error Interrupted(const std::stop_token& stop, std::string_view waited_for) {
  return stop.stop_requested()
             ? Error(Code::kCancelled, "stopped while waiting for " + std::string(waited_for))
             : Error(Code::kTimeout, "no " + std::string(waited_for) + " in time");
}

}  // namespace

void ResponseBuffer::SetHead(ResponseHead head) {
  MutexLock lock(mutex_);
  head_ = std::move(head);
  changed_.notify_all();
}

bool ResponseBuffer::Append(std::string_view piece, std::function<void()> resume) {
  MutexLock lock(mutex_);
  if (closed_) return true;
  if (begin_ == bytes_.size()) {
    bytes_.clear();
    begin_ = 0;
  } else if (begin_ >= window_) {
    bytes_.erase(0, begin_);  // moves less than what was read since the last time
    begin_ = 0;
  }
  bytes_.append(piece);
  changed_.notify_all();
  if (bytes_.size() - begin_ < window_) return true;
  resume_ = std::move(resume);
  return false;
}

void ResponseBuffer::End() {
  MutexLock lock(mutex_);
  if (ended()) return;
  complete_ = true;
  changed_.notify_all();
}

void ResponseBuffer::Fail(Error error) {
  MutexLock lock(mutex_);
  if (ended()) return;
  failure_ = std::move(error);
  changed_.notify_all();
}

std::function<void()> ResponseBuffer::TakeResume() {
  std::function<void()> resume;
  if (closed_ || bytes_.size() - begin_ <= window_ / 2) resume.swap(resume_);
  return resume;
}

Result<ResponseHead> ResponseBuffer::AwaitHead(Clock::Steady deadline,
                                               const std::stop_token& stop) {
  MutexLock lock(mutex_);
  const auto ready = [this] { return head_.has_value() || ended(); };
  if (stop.stop_requested() || !clock_.WaitUntil(changed_, lock, deadline, stop, ready)) {
    return Interrupted(stop, "answer");
  }
  if (head_) return *head_;
  return failure_ ? *failure_ : Error(Code::kInternal, "an answer without a head");
}

Result<std::string> ResponseBuffer::ReadAll(std::size_t max_bytes, Clock::Steady deadline,
                                            const std::stop_token& stop) {
  std::string body;
  for (;;) {
    std::function<void()> resume;
    bool complete = false;
    {
      MutexLock lock(mutex_);
      const auto ready = [this] { return ended() || bytes_.size() - begin_ >= window_; };
      if (stop.stop_requested() || !clock_.WaitUntil(changed_, lock, deadline, stop, ready)) {
        return Interrupted(stop, "complete answer");
      }
      if (failure_) return *failure_;
      if (body.empty() && begin_ == 0) {
        body.swap(bytes_);
      } else {
        body.append(bytes_, begin_);
        bytes_.clear();
      }
      begin_ = 0;
      complete = complete_;
      resume = TakeResume();
    }
    if (resume) resume();
    if (body.size() > max_bytes) {
      return Error(Code::kMalformed,
                   "the answer is longer than " + std::to_string(max_bytes) + " bytes");
    }
    if (complete) return body;
  }
}

Result<std::size_t> ResponseBuffer::Read(char* out, std::size_t size, Clock::Duration idle_limit,
                                         const std::stop_token& stop) {
  std::size_t taken = 0;
  std::function<void()> resume;
  {
    MutexLock lock(mutex_);
    const auto ready = [this] { return ended() || begin_ < bytes_.size(); };
    if (stop.stop_requested() ||
        !clock_.WaitUntil(changed_, lock, clock_.Now() + idle_limit, stop, ready)) {
      return Interrupted(stop, "sign of life from the stream");
    }
    taken = std::min(size, bytes_.size() - begin_);
    if (taken == 0 && failure_) return *failure_;
    std::memcpy(out, bytes_.data() + begin_, taken);
    begin_ += taken;
    resume = TakeResume();
  }
  if (resume) resume();
  return taken;
}

std::string ResponseBuffer::ReadSome(std::size_t max_bytes, Clock::Steady deadline,
                                     const std::stop_token& stop) {
  std::string body(max_bytes, '\0');
  std::size_t size = 0;
  while (size < max_bytes) {
    const auto got = Read(body.data() + size, max_bytes - size, deadline - clock_.Now(), stop);
    if (!got.ok() || *got == 0) break;
    size += *got;
  }
  body.resize(size);
  return body;
}

void ResponseBuffer::Close() {
  std::function<void()> resume;
  {
    MutexLock lock(mutex_);
    closed_ = true;
    bytes_ = std::string();
    begin_ = 0;
    resume = TakeResume();
  }
  if (resume) resume();
}

std::size_t ResponseBuffer::unread() const {
  MutexLock lock(mutex_);
  return bytes_.size() - begin_;
}

}  // namespace dra::kube
