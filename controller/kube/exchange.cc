// SPDX-License-Identifier: Apache-2.0
#include "kube/exchange.h"

#include <algorithm>

#include "base/strings.h"

namespace dra::kube {
namespace {

constexpr std::size_t kMaxHead = 1U << 20U;

constexpr long kMaxRetryAfterSeconds = 3600;

}  // namespace

bool Exchange::Leave() {
  Fate fate = Fate::kHeld;
  fate_.compare_exchange_strong(fate, Fate::kAbandoned);
  return fate == Fate::kSent;
}

bool Exchange::MayWrite() {
  Fate fate = Fate::kHeld;
  fate_.compare_exchange_strong(fate, Fate::kSent);
  return fate != Fate::kAbandoned;
}

void Exchange::OnRecord(std::size_t bytes) {
  held_ += bytes;
  if (too_long_ || held_ <= (head_seen_ ? max_piece_ : kMaxHead)) return;
  too_long_ = true;
  if (cancel) cancel();
}

bool Exchange::OnPiece(std::size_t size) {
  held_ = 0;
  too_long_ = too_long_ || size > max_piece_;
  return !too_long_;
}

void Exchange::OnHead(ResponseHead head) {
  head_seen_ = true;
  buffer.SetHead(std::move(head));
}

Error Exchange::Explain(const std::string& peer, const std::string& what) const {
  if (too_long_) {
    return Error(Code::kMalformed, peer + (head_seen_ ? ": one piece of the answer is too long"
                                                      : ": the head of the answer is too long"));
  }
  if (!refused_.empty()) {
    return Error(Code::kUnavailable, peer + ": the server's certificate is refused: " + refused_);
  }
  // "Invalid HTTP status line", "Invalid chunked response header": the server speaks, but not HTTP.
  const Code code = what.starts_with("Invalid") ? Code::kMalformed : Code::kUnavailable;
  return Error(code, peer + ": " + Truncate(what, 300));
}

Result<void> CheckHead(const ResponseHead& head) {
  if (head.status >= 300 && head.status < 400) {
    return Error(Code::kMalformed, "the server redirects (" + std::to_string(head.status) +
                                       ") to \"" + Truncate(head.location, 200) +
                                       "\"; redirects are not followed");
  }
  if (head.status < 200 || head.status > 599) {
    return Error(Code::kMalformed, "HTTP status " + std::to_string(head.status));
  }
  if (!head.content_encoding.empty() && head.content_encoding != "identity") {
    return Error(Code::kMalformed, "the answer is encoded, which was not asked for");
  }
  return {};
}

std::optional<std::chrono::milliseconds> ParseRetryAfter(const std::string& text) {
  if (text.empty() || text.size() > 9 ||
      !std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; })) {
    return std::nullopt;
  }
  return std::chrono::seconds(std::min(std::stol(text), kMaxRetryAfterSeconds));
}

}  // namespace dra::kube
