// SPDX-License-Identifier: Apache-2.0
#include "runtime/http_server.h"

#include <atomic>
#include <charconv>
#include <thread>

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

namespace dra::runtime {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;

constexpr std::size_t kMaxHead = 8U << 10U;
constexpr std::size_t kMaxConnections = 16;
constexpr std::chrono::seconds kTimeLimit{10};

using Response = http::response<http::string_body>;

HttpQuestion QuestionOf(std::string_view target) {
  HttpQuestion question;
  const std::size_t mark = target.find('?');
  question.path = std::string(target.substr(0, mark));
  if (mark != std::string_view::npos) {
    const std::string query = "&" + std::string(target.substr(mark + 1)) + "&";
    question.verbose = query.find("&verbose&") != std::string::npos ||
                       query.find("&verbose=") != std::string::npos;
  }
  return question;
}

// One connection: read a head, answer, close. Owns itself through the pending operation.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(tcp::socket socket, const HttpServer::Handler& handler, std::atomic<std::size_t>& open)
      : stream_(std::move(socket)), handler_(handler), open_(open) {
    ++open_;
    parser_.header_limit(static_cast<std::uint32_t>(kMaxHead));
    parser_.body_limit(0);  // a GET has none
  }
  ~Session() { --open_; }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void Run() {
    stream_.expires_after(kTimeLimit);
    http::async_read(
        stream_, buffer_, parser_,
        [self = shared_from_this()](beast::error_code error, std::size_t) { self->Read(error); });
  }

 private:
  void Read(beast::error_code error) {
    if (error == http::error::header_limit)
      return Answer({431, "text/plain", "request head too large\n"});
    if (error == http::error::body_limit) return Answer({413, "text/plain", "no body, please\n"});
    if (error) {
      // Nobody there, or not HTTP: only the latter is worth an answer.
      if (error.category() != http::make_error_code(http::error::bad_method).category()) return;
      if (error == http::error::end_of_stream) return;
      return Answer({400, "text/plain", "bad request\n"});
    }
    const auto& request = parser_.get();
    head_only_ = request.method() == http::verb::head;
    if (!head_only_ && request.method() != http::verb::get) {
      return Answer({405, "text/plain", "only GET and HEAD\n"});
    }
    const auto target = request.target();
    Answer(handler_(QuestionOf({target.data(), target.size()})));
  }

  void Answer(HttpAnswer answer) {
    response_.result(static_cast<unsigned>(answer.status));
    response_.set(http::field::content_type, answer.content_type);
    response_.set("X-Content-Type-Options", "nosniff");
    response_.keep_alive(false);
    const std::size_t size = answer.body.size();
    if (!head_only_) response_.body() = std::move(answer.body);
    response_.content_length(size);
    http::async_write(stream_, response_,
                      [self = shared_from_this()](beast::error_code, std::size_t) {
                        beast::error_code ignored;
                        self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
                      });
  }

  beast::tcp_stream stream_;
  const HttpServer::Handler& handler_;
  std::atomic<std::size_t>& open_;
  beast::flat_buffer buffer_{kMaxHead};
  http::request_parser<http::string_body> parser_;
  Response response_;
  bool head_only_ = false;
};

Result<tcp::endpoint> Resolve(asio::io_context& io, std::string_view address) {
  const std::string shown = "\"" + std::string(address) + "\"";
  const std::size_t colon = address.rfind(':');
  unsigned port = 0;
  if (colon == std::string_view::npos) return Error(Code::kInvalid, shown + " must be host:port");
  const std::string_view digits = address.substr(colon + 1);
  const auto [end, wrong] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (wrong != std::errc() || end != digits.data() + digits.size() || port > 65535) {
    return Error(Code::kInvalid, shown + ": the port must be a number from 0 to 65535");
  }
  std::string_view host = address.substr(0, colon);
  if (host.size() > 1 && host.front() == '[' && host.back() == ']')
    host = host.substr(1, host.size() - 2);
  if (host.empty()) return tcp::endpoint(tcp::v4(), static_cast<std::uint16_t>(port));
  beast::error_code error;
  tcp::resolver resolver(io);
  const auto found = resolver.resolve(std::string(host), std::to_string(port), error);
  if (error || found.empty())
    return Error(Code::kInvalid, shown + ": cannot resolve the host: " + error.message());
  return found.begin()->endpoint();
}

}  // namespace

class HttpServer::Impl {
 public:
  explicit Impl(Handler handler) : handler_(std::move(handler)) {}

  Result<void> Start(std::string_view address) {
    DRA_TRY(const tcp::endpoint endpoint, Resolve(io_, address));
    beast::error_code error;
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(kMaxConnections, error);
    if (error) {
      return Error(Code::kUnavailable, "cannot listen on " + std::string(address) + ": " +
                                           error.message() +
                                           "; choose another --metrics-bind-address");
    }
    port_ = acceptor_.local_endpoint().port();
    Accept();
    thread_ = std::jthread([this] { io_.run(); });
    return {};
  }

  void Stop() {
    io_.stop();
    if (thread_.joinable()) thread_.join();
  }

  std::uint16_t port() const { return port_; }

 private:
  void Accept() {
    acceptor_.async_accept([this](beast::error_code error, tcp::socket socket) {
      // Beyond the limit a connection is closed at once: better than to let all of them wait.
      if (!error && open_ < kMaxConnections) {
        std::make_shared<Session>(std::move(socket), handler_, open_)->Run();
      }
      Accept();
    });
  }

  const Handler handler_;
  std::atomic<std::size_t> open_{0};
  asio::io_context io_{1};
  tcp::acceptor acceptor_{io_};
  std::uint16_t port_ = 0;
  std::jthread thread_;
};

HttpServer::HttpServer(Handler handler) : impl_(std::make_unique<Impl>(std::move(handler))) {}

HttpServer::~HttpServer() { Stop(); }

Result<void> HttpServer::Start(std::string_view address) { return impl_->Start(address); }

void HttpServer::Stop() { impl_->Stop(); }

std::uint16_t HttpServer::port() const { return impl_->port(); }

}  // namespace dra::runtime
