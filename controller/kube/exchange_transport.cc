// SPDX-License-Identifier: Apache-2.0
#include "kube/exchange_transport.h"

#include <utility>

namespace dra::kube {
namespace {

constexpr std::size_t kMaxErrorBody = 64U << 10U;
// A chunk of a watch holds one event, or a few.
constexpr std::size_t kMaxStreamPiece = 64U << 20U;

}  // namespace

class ExchangeTransport::Stream final : public ByteStream {
 public:
  Stream(ExchangeTransport& transport, std::shared_ptr<Exchange> exchange)
      : transport_(transport), exchange_(std::move(exchange)) {}
  ~Stream() override {
    exchange_->buffer.Close();
    transport_.Cancel(exchange_, /*broken=*/false);
  }

  Result<std::size_t> Read(char* buffer, std::size_t size, const std::stop_token& stop) override {
    return exchange_->buffer.Read(buffer, size, exchange_->request.idle_limit, stop);
  }

 private:
  ExchangeTransport& transport_;
  const std::shared_ptr<Exchange> exchange_;
};

ExchangeTransport::ExchangeTransport(std::shared_ptr<Credentials> credentials, Clock& clock,
                                     Options options)
    : credentials_(std::move(credentials)), clock_(clock), options_(std::move(options)) {}

std::shared_ptr<Exchange> ExchangeTransport::Start(const Request& request, bool stream) {
  const Exchange::Limits limits{.window = options_.stream_window,
                                .piece = stream ? kMaxStreamPiece : options_.max_body};
  auto exchange = std::make_shared<Exchange>(request, credentials_->Current(), limits, clock_);
  exchange->stream = stream;
  Begin(exchange);
  return exchange;
}

Error ExchangeTransport::GiveUp(const std::shared_ptr<Exchange>& exchange, Error error) {
  error.maybe_applied = exchange->Leave() && exchange->request.method != Method::kGet;
  exchange->buffer.Close();
  Cancel(exchange, error.code() == Code::kTimeout);
  return error;
}

Result<Response> ExchangeTransport::Send(const Request& request, const std::stop_token& stop) {
  const auto deadline = clock_.Now() + request.deadline;
  const auto exchange = Start(request, /*stream=*/false);
  auto body = exchange->buffer.ReadAll(options_.max_body, deadline, stop);
  if (!body.ok()) return GiveUp(exchange, body.error());
  auto head = exchange->buffer.AwaitHead(deadline, stop);  // came before the body's end
  if (!head.ok()) return GiveUp(exchange, head.error());
  const auto checked = CheckHead(*head);
  if (!checked.ok()) return GiveUp(exchange, checked.error());
  if (head->status == 401) credentials_->Refresh();
  if (head->status >= 400 && body->size() > kMaxErrorBody) body->resize(kMaxErrorBody);
  return Response{
      .status = head->status, .body = std::move(*body), .retry_after = head->retry_after};
}

Result<StreamResponse> ExchangeTransport::Open(const Request& request,
                                               const std::stop_token& stop) {
  const auto deadline = clock_.Now() + request.deadline;
  const auto exchange = Start(request, /*stream=*/true);
  auto head = exchange->buffer.AwaitHead(deadline, stop);
  if (!head.ok()) return GiveUp(exchange, head.error());
  const auto checked = CheckHead(*head);
  if (!checked.ok()) return GiveUp(exchange, checked.error());
  StreamResponse response{
      .status = head->status, .stream = nullptr, .body = {}, .retry_after = head->retry_after};
  if (head->status == 200) {
    response.stream = std::make_unique<Stream>(*this, exchange);
    return response;
  }
  if (head->status == 401) credentials_->Refresh();
  response.body = exchange->buffer.ReadSome(kMaxErrorBody, deadline, stop);
  exchange->buffer.Close();
  Cancel(exchange, /*broken=*/false);
  return response;
}

}  // namespace dra::kube
