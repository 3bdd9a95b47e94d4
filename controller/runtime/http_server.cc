// SPDX-License-Identifier: Apache-2.0
#include "runtime/http_server.h"

#include <algorithm>
#include <charconv>
#include <deque>
#include <exception>
#include <thread>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include "base/log.h"

namespace dra::runtime {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;

constexpr std::size_t kMaxHead = 8U << 10U;
constexpr std::size_t kMaxConnections = 16;
constexpr std::chrono::seconds kTimeLimit{10};
constexpr std::chrono::milliseconds kStopPatience{500};
constexpr std::chrono::milliseconds kAcceptPause{100};

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

// How many sessions there are; the last one to end stops a server that is being stopped. Used on
// the server's thread only.
struct OpenSessions {
  asio::io_context& io;
  std::size_t count = 0;
  bool stopping = false;

  void OneEnded() {
    if (--count == 0 && stopping) io.stop();
  }
};

// One connection: read a head, answer, close. Owns itself through the pending operation.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(tcp::socket socket, const HttpServer::Handler& handler, OpenSessions& open)
      : stream_(std::move(socket)), handler_(handler), open_(open) {
    ++open_.count;
    parser_.header_limit(static_cast<std::uint32_t>(kMaxHead));
  }
  ~Session() { open_.OneEnded(); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Waiting for the client's head; nothing has been promised to it yet.
  bool reading() const { return reading_; }
  void Close() { stream_.close(); }

  // One deadline for everything: a client that sends a byte now and then gains nothing by it.
  void Run() {
    stream_.expires_after(kTimeLimit);
    http::async_read_header(
        stream_, buffer_, parser_,
        [self = shared_from_this()](beast::error_code error, std::size_t) { self->Read(error); });
  }

 private:
  void Read(beast::error_code error) {
    reading_ = false;
    if (error == http::error::header_limit || error == http::error::buffer_overflow)
      return Answer({431, "text/plain", "request head too large\n"});
    if (error) {
      // Nobody there, or not HTTP: only the latter is worth an answer.
      if (error.category() != http::make_error_code(http::error::bad_method).category()) return;
      if (error == http::error::end_of_stream) return;
      return Answer({400, "text/plain", "bad request\n"});
    }
    const auto& request = parser_.get();
    head_only_ = request.method() == http::verb::head;
    if (!head_only_ && request.method() != http::verb::get) {
      response_.set(http::field::allow, "GET, HEAD");
      return Answer({405, "text/plain", "only GET and HEAD\n"});
    }
    const auto target = request.target();
    Answer(Handle(QuestionOf({target.data(), target.size()})));
  }

  // A bug in a handler must not end the thread, and with it the process.
  HttpAnswer Handle(const HttpQuestion& question) {
    try {
      return handler_(question);
    } catch (const std::exception& exception) {
      log::Failure("request failed", {{"path", question.path}, {"err", exception.what()}});
    } catch (...) {
      log::Failure("request failed", {{"path", question.path}});
    }
    return {500, "text/plain", "internal error\n"};
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
  OpenSessions& open_;
  beast::flat_buffer buffer_{kMaxHead};
  http::request_parser<http::empty_body> parser_;
  Response response_;
  bool reading_ = true;
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
  else if (host.find(':') != std::string_view::npos)
    return Error(Code::kInvalid, shown + ": an IPv6 address must stand in brackets");
  if (host.empty()) return tcp::endpoint(tcp::v6(), static_cast<std::uint16_t>(port));
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
    DRA_TRY(tcp::endpoint endpoint, Resolve(io_, address));
    beast::error_code error = Listen(endpoint);
    if (error && endpoint == tcp::endpoint(tcp::v6(), endpoint.port())) {
      // The machine may have no IPv6; where it has, "all interfaces" of one family are not all.
      const beast::error_code v4_error = Listen(tcp::endpoint(tcp::v4(), endpoint.port()));
      if (!v4_error) error = v4_error;
    }
    if (error) {
      return Error(Code::kUnavailable, "cannot listen on " + std::string(address) + ": " +
                                           error.message() +
                                           "; choose another --metrics-bind-address");
    }
    port_ = acceptor_.local_endpoint(error).port();
    Accept();
    thread_ = std::jthread([this] { io_.run(); });
    return {};
  }

  void Stop() {
    if (!thread_.joinable()) return;
    asio::post(io_, [this] { BeginStop(); });
    thread_.join();
  }

  std::uint16_t port() const { return port_; }

 private:
  beast::error_code Listen(const tcp::endpoint& endpoint) {
    beast::error_code error;
    acceptor_.close(error);
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(asio::socket_base::reuse_address(true), error);
    // Only "[::]" and ":port" mean both families; other IPv6 addresses do not care.
    if (!error && endpoint.protocol() == tcp::v6()) {
      acceptor_.set_option(asio::ip::v6_only(false), error);
    }
    if (!error) acceptor_.bind(endpoint, error);
    // The system's own backlog: in a shorter one a burst loses SYNs, and each costs its client 1 s.
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    return error;
  }

  void Accept() {
    acceptor_.async_accept([this](beast::error_code error, tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (error) return AcceptLater();
      Admit(std::move(socket));
      Accept();
    });
  }

  // Out of file descriptors or memory: asking again at once would only burn CPU.
  void AcceptLater() {
    timer_.expires_after(kAcceptPause);
    timer_.async_wait([this](beast::error_code error) {
      if (!error) Accept();
    });
  }

  void Admit(tcp::socket socket) {
    std::erase_if(sessions_, [](const auto& session) { return session.expired(); });
    if (sessions_.size() >= kMaxConnections && !CloseOldestReader()) return;
    const auto session = std::make_shared<Session>(std::move(socket), handler_, open_);
    sessions_.push_back(session);
    session->Run();
  }

  bool CloseOldestReader() {
    const auto oldest = std::find_if(sessions_.begin(), sessions_.end(), [](const auto& weak) {
      const auto session = weak.lock();
      return session && session->reading();
    });
    if (oldest == sessions_.end()) return false;
    if (const auto session = oldest->lock()) session->Close();
    sessions_.erase(oldest);
    return true;
  }

  void BeginStop() {
    beast::error_code ignored;
    acceptor_.close(ignored);
    while (CloseOldestReader()) {
    }
    if (open_.count == 0) return io_.stop();
    open_.stopping = true;
    timer_.expires_after(kStopPatience);
    timer_.async_wait([this](beast::error_code) {
      open_.stopping = false;
      io_.stop();
    });
  }

  const Handler handler_;
  OpenSessions open_{io_};  // before io_: sessions that end with it still count down
  asio::io_context io_{1};
  tcp::acceptor acceptor_{io_};
  asio::steady_timer timer_{io_};                // of AcceptLater, then of BeginStop
  std::deque<std::weak_ptr<Session>> sessions_;  // by age
  std::uint16_t port_ = 0;
  std::jthread thread_;
};

HttpServer::HttpServer(Handler handler) : impl_(std::make_unique<Impl>(std::move(handler))) {}

HttpServer::~HttpServer() { Stop(); }

Result<void> HttpServer::Start(std::string_view address) { return impl_->Start(address); }

void HttpServer::Stop() { impl_->Stop(); }

std::uint16_t HttpServer::port() const { return impl_->port(); }

}  // namespace dra::runtime
