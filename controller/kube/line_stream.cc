// SPDX-License-Identifier: Apache-2.0
#include "kube/client.h"

namespace dra::kube {
namespace {

constexpr std::size_t kReadSize = 64U << 10U;

}  // namespace

Result<std::optional<std::string_view>> LineStream::Next(const std::stop_token& stop) {
  for (;;) {
    const std::size_t newline = buffer_.find('\n', scanned_);
    if (newline != std::string::npos) {
      std::string_view line(buffer_.data() + begin_, newline - begin_);
      begin_ = scanned_ = newline + 1;
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (line.empty()) continue;
      if (line.size() > kMaxLine) break;
      return std::optional(line);
    }
    if (buffer_.size() - begin_ > kMaxLine) break;
    // Only the piece of an unfinished line is moved, so this is cheap even in a flood of lines.
    buffer_.erase(0, begin_);
    begin_ = 0;
    scanned_ = buffer_.size();

    buffer_.resize(scanned_ + kReadSize);
    auto got = bytes_->Read(buffer_.data() + scanned_, kReadSize, stop);
    buffer_.resize(scanned_ + (got.ok() ? *got : 0));
    if (!got.ok()) return got.error();
    if (*got == 0) {
      if (buffer_.empty()) return std::optional<std::string_view>();
      return Error(Code::kMalformed, "the stream ends in the middle of a line");
    }
  }
  return Error(Code::kMalformed, "a line is longer than " + std::to_string(kMaxLine) + " bytes");
}

}  // namespace dra::kube
