// SPDX-License-Identifier: Apache-2.0
//
// Threads: everything of cpprest's, and every member of Core and Connection, is touched on the one
// I/O thread only. A caller shares just its Exchange with it.
#include "kube/cpprest_transport.h"

#define _TURN_OFF_PLATFORM_STRING  // cpprest's U() breaks Boost's headers
#include <algorithm>
#include <cstdlib>
#include <future>
#include <mutex>
#include <vector>

#include <boost/asio/post.hpp>
#include <boost/asio/ssl.hpp>
#include <cpprest/http_client.h>
#include <pplx/threadpool.h>
#include <pthread.h>
#include <signal.h>

#include "base/log.h"
#include "kube/server_addresses.h"
#include "kube/socket_options.h"

namespace dra::kube {
namespace {

namespace asio = boost::asio;
namespace http = web::http;
namespace streams = concurrency::streams;
using asio::ip::tcp;

// Deadlines and idle limits are ours; the library's must never come first.
constexpr std::chrono::hours kLibraryTimeout{24 * 365};

asio::io_service& IoThread() { return crossplat::threadpool::shared_instance().service(); }

// Thrown inside the library's callbacks, which turn it into the failure of the request.
struct StaleConnection : std::runtime_error {
  StaleConnection() : std::runtime_error("the server has closed the idle connection") {}
};
struct Abandoned : std::runtime_error {
  Abandoned() : std::runtime_error("the caller has left") {}
};

// A cpprest stream buffer that goes one way and cannot seek: the part of the library's interface
// that does not matter here.
class OneWayBuffer : public streams::details::streambuf_state_manager<std::uint8_t> {
 public:
  using streambuf_state_manager::close;
  using streambuf_state_manager::streambuf_state_manager;
  // When an operation fails, the library closes the buffer and waits for that, on the I/O thread:
  // the inherited close() needs that same thread and would never return.
  pplx::task<void> close(std::ios_base::openmode mode) override {
    if ((mode & std::ios_base::in) != 0) m_stream_can_read = false;
    if ((mode & std::ios_base::out) != 0) m_stream_can_write = false;
    return pplx::task_from_result();
  }
  bool can_seek() const override { return false; }
  bool has_size() const override { return false; }
  std::size_t buffer_size(std::ios_base::openmode) const override { return 0; }
  void set_buffer_size(std::size_t, std::ios_base::openmode) override {}
  std::size_t in_avail() const override { return 0; }
  pos_type getpos(std::ios_base::openmode) const override { return traits::eof(); }
  pos_type seekpos(pos_type, std::ios_base::openmode) override { return traits::eof(); }
  pos_type seekoff(off_type, std::ios_base::seekdir, std::ios_base::openmode) override {
    return traits::eof();
  }
  bool acquire(std::uint8_t*&, std::size_t&) override { return false; }
  void release(std::uint8_t*, std::size_t) override {}

 protected:
  pplx::task<int_type> _putc(std::uint8_t) override { return Eof(); }
  pplx::task<std::size_t> _putn(const std::uint8_t*, std::size_t) override { return Nothing(); }
  pplx::task<int_type> _bumpc() override { return Eof(); }
  int_type _sbumpc() override { return traits::eof(); }
  pplx::task<int_type> _getc() override { return Eof(); }
  int_type _sgetc() override { return traits::eof(); }
  pplx::task<int_type> _nextc() override { return Eof(); }
  pplx::task<int_type> _ungetc() override { return Eof(); }
  pplx::task<std::size_t> _getn(std::uint8_t*, std::size_t) override { return Nothing(); }
  std::size_t _scopy(std::uint8_t*, std::size_t) override { return 0; }
  pplx::task<bool> _sync() override { return pplx::task_from_result(true); }
  std::uint8_t* _alloc(std::size_t) override { return nullptr; }
  void _commit(std::size_t) override {}

 private:
  static pplx::task<int_type> Eof() { return pplx::task_from_result<int_type>(traits::eof()); }
  static pplx::task<std::size_t> Nothing() { return pplx::task_from_result<std::size_t>(0); }
};

// The body of a request. That it cannot be read twice is what stops the library from sending the
// request again; the first read is the moment before the server gets all it needs.
class RequestBody final : public OneWayBuffer {
 public:
  explicit RequestBody(std::shared_ptr<Exchange> exchange)
      : OneWayBuffer(std::ios_base::in), exchange_(std::move(exchange)) {}

 protected:
  pplx::task<std::size_t> _getn(std::uint8_t* out, std::size_t size) override {
    if (!exchange_->MayWrite()) {
      return pplx::task_from_exception<std::size_t>(std::make_exception_ptr(Abandoned()));
    }
    const std::string& body = exchange_->request.body;
    const std::size_t count = std::min(size, body.size() - read_);
    std::copy_n(body.data() + read_, count, out);
    read_ += count;
    return pplx::task_from_result(count);
  }

 private:
  const std::shared_ptr<Exchange> exchange_;
  std::size_t read_ = 0;
};

class ResponseSink final : public OneWayBuffer {
 public:
  explicit ResponseSink(std::shared_ptr<Exchange> exchange)
      : OneWayBuffer(std::ios_base::out), exchange_(std::move(exchange)) {}

 protected:
  pplx::task<std::size_t> _putn(const std::uint8_t* bytes, std::size_t size) override {
    if (!exchange_->OnPiece(size)) {
      return pplx::task_from_exception<std::size_t>(
          std::make_exception_ptr(std::length_error("impossible size of a chunk")));
    }
    pplx::task_completion_event<std::size_t> room;
    // The reader's thread says that there is room; the library goes on on its own.
    const bool more = exchange_->buffer.Append(
        {reinterpret_cast<const char*>(bytes), size},
        [room, size] { asio::post(IoThread(), [room, size] { room.set(size); }); });
    return more ? pplx::task_from_result(size) : pplx::create_task(room);
  }

 private:
  const std::shared_ptr<Exchange> exchange_;
};

template <class Buffer>
streams::streambuf<std::uint8_t> Wrap(std::shared_ptr<Exchange> exchange) {
  return streams::streambuf<std::uint8_t>(
      std::shared_ptr<streams::details::basic_streambuf<std::uint8_t>>(
          std::make_shared<Buffer>(std::move(exchange))));
}

// One HTTP connection: a cpprest client that is never given two requests at a time, so that its
// pool holds at most one socket and all about that socket is known.
struct Connection {
  std::string address;
  std::shared_ptr<const TlsContext> tls;  // null: plain http
  std::shared_ptr<Exchange> exchange;     // null: idle
  std::unique_ptr<http::client::http_client> client;

  // The library asks before each request on a socket, new or used, that `handle` leads to.
  void Prepare(http::client::native_handle handle) const;
};

void Connection::Prepare(http::client::native_handle handle) const {
  using TlsStream = asio::ssl::stream<tcp::socket&>;
  auto* tls_stream = tls ? static_cast<TlsStream*>(handle) : nullptr;
  tcp::socket& socket = tls ? tls_stream->next_layer() : *static_cast<tcp::socket*>(handle);
  if (socket.is_open()) {
    if (HasInput(socket.native_handle())) throw StaleConnection();
  } else {
    socket.open(asio::ip::make_address(address).is_v6() ? tcp::v6() : tcp::v4());
    EnableKeepAlive(socket.native_handle());
  }
  if (!exchange) throw Abandoned();
  if (tls) TlsContext::Observe(tls_stream->native_handle(), exchange);
  // With a body, the moment comes later: see RequestBody.
  if (exchange->request.body.empty() && !exchange->MayWrite()) throw Abandoned();
}

std::string Header(const http::http_response& response, const char* name) {
  const auto found = response.headers().find(name);
  return found == response.headers().end() ? std::string() : found->second;
}

ResponseHead HeadOf(const http::http_response& response) {
  return {.status = response.status_code(),
          .retry_after = ParseRetryAfter(Header(response, "Retry-After")),
          .location = Header(response, "Location"),
          .content_encoding = Header(response, "Content-Encoding")};
}

}  // namespace

// Used on the I/O thread only; lives as long as the transport or the last exchange.
class CpprestTransport::Core : public std::enable_shared_from_this<Core> {
 public:
  Core(ServerUrl server, std::string user_agent)
      : server_(std::move(server)),
        user_agent_(std::move(user_agent)),
        addresses_(std::make_shared<ServerAddresses>(IoThread(), server_)) {}

  void Start(const std::shared_ptr<Exchange>& exchange);
  void Cancel(const std::shared_ptr<Exchange>& exchange, bool broken);
  void CloseIdle() { idle_.clear(); }

 private:
  void Run(const std::shared_ptr<Exchange>& exchange, const std::string& address);
  std::shared_ptr<Connection> Connect(const Identity& identity, const std::string& address) const;
  http::http_request BuildRequest(const std::shared_ptr<Exchange>& exchange) const;
  void OnHead(const std::shared_ptr<Connection>& connection, const http::http_response& response);
  void OnEnd(const std::shared_ptr<Connection>& connection);
  void OnFailure(const std::shared_ptr<Connection>& connection, const std::exception_ptr& failure);

  const ServerUrl server_;
  const std::string user_agent_;
  const std::shared_ptr<ServerAddresses> addresses_;
  std::vector<std::shared_ptr<Connection>> idle_;  // the last one used is last
  std::uint64_t generation_ = 0;                   // of the identity that idle_ belongs to
};

void CpprestTransport::Core::Start(const std::shared_ptr<Exchange>& exchange) {
  addresses_->Get([self = shared_from_this(), exchange](const Result<std::string>& address) {
    if (exchange->cancelled) return;
    if (!address.ok()) return exchange->buffer.Fail(address.error());
    try {
      self->Run(exchange, *address);
    } catch (const std::exception& e) {
      exchange->buffer.Fail(Error(Code::kInternal, e.what()));
    }
  });
}

void CpprestTransport::Core::Cancel(const std::shared_ptr<Exchange>& exchange, bool broken) {
  if (broken) idle_.clear();
  exchange->cancelled = true;
  if (exchange->cancel) exchange->cancel();
}

void CpprestTransport::Core::Run(const std::shared_ptr<Exchange>& exchange,
                                 const std::string& address) {
  if (exchange->identity.generation > generation_) {
    idle_.clear();
    generation_ = exchange->identity.generation;
  }
  std::shared_ptr<Connection> connection;
  if (exchange->stream || idle_.empty()) {
    connection = Connect(exchange->identity, address);
  } else {
    connection = std::move(idle_.back());
    idle_.pop_back();
  }
  connection->exchange = exchange;
  pplx::cancellation_token_source source;
  // A task of its own: the library closes the socket in there, which must not happen under its
  // feet.
  exchange->cancel = [source] { asio::post(IoThread(), [source] { source.cancel(); }); };
  // An exception that nobody takes out of a task ends the process, so every chain ends like this.
  connection->client->request(BuildRequest(exchange), source.get_token())
      .then([self = shared_from_this(), connection](const pplx::task<http::http_response>& head) {
        try {
          self->OnHead(connection, head.get());
        } catch (...) {
          self->OnFailure(connection, std::current_exception());
        }
      });
}

std::shared_ptr<Connection> CpprestTransport::Core::Connect(const Identity& identity,
                                                            const std::string& address) const {
  auto connection = std::make_shared<Connection>();
  connection->address = address;
  connection->tls = identity.tls;
  const std::weak_ptr<Connection> weak = connection;  // the client holds these callbacks
  http::client::http_client_config config;
  config.set_timeout(kLibraryTimeout);
  config.set_max_redirects(0);
  config.set_tlsext_sni_enabled(false);  // TlsContext sets it
  config.set_nativehandle_options([weak](http::client::native_handle handle) {
    if (const auto locked = weak.lock()) locked->Prepare(handle);
  });
  config.set_ssl_context_callback([tls = identity.tls](asio::ssl::context& context) {
    ::SSL_CTX_up_ref(tls->native());
    context = asio::ssl::context(tls->native());
  });
  web::uri_builder uri;
  uri.set_scheme(server_.tls ? "https" : "http").set_host(address).set_port(server_.port);
  connection->client = std::make_unique<http::client::http_client>(uri.to_uri(), config);
  return connection;
}

http::http_request CpprestTransport::Core::BuildRequest(
    const std::shared_ptr<Exchange>& exchange) const {
  const Request& from = exchange->request;
  http::http_request request(http::method(std::string(ToString(from.method))));
  request.set_request_uri(web::uri(server_.path + from.target));
  request.set_body(Wrap<RequestBody>(exchange).create_istream(), from.body.size(),
                   from.content_type);
  http::http_headers& headers = request.headers();
  if (from.content_type.empty()) headers.remove("Content-Type");
  headers.add("Host", server_.Authority());  // the library knows an address only
  headers.add("Accept", from.accept);
  headers.add("User-Agent", user_agent_);
  if (!exchange->identity.token.empty()) {
    headers.add("Authorization", "Bearer " + exchange->identity.token);
  }
  request.set_response_stream(Wrap<ResponseSink>(exchange).create_ostream());
  return request;
}

void CpprestTransport::Core::OnHead(const std::shared_ptr<Connection>& connection,
                                    const http::http_response& response) {
  connection->exchange->OnHead(HeadOf(response));
  response.content_ready().then(
      [self = shared_from_this(), connection](const pplx::task<http::http_response>& body) {
        try {
          body.get();
          self->OnEnd(connection);
        } catch (...) {
          self->OnFailure(connection, std::current_exception());
        }
      });
}

void CpprestTransport::Core::OnEnd(const std::shared_ptr<Connection>& connection) {
  const auto exchange = std::move(connection->exchange);
  exchange->cancel = nullptr;
  if (!exchange->stream && exchange->identity.generation == generation_) {
    idle_.push_back(connection);
  }
  exchange->buffer.End();
}

void CpprestTransport::Core::OnFailure(const std::shared_ptr<Connection>& connection,
                                       const std::exception_ptr& failure) {
  const auto exchange = std::move(connection->exchange);
  exchange->cancel = nullptr;
  if (exchange->cancelled) return;
  idle_.clear();  // where one connection broke, the others are suspect
  std::string what = "unknown failure";
  try {
    std::rethrow_exception(failure);
  } catch (const StaleConnection&) {
    // Not a byte has left: this is not a second time. And it is not the last of many either, since
    // idle_ is empty now.
    Start(exchange);
    return;
  } catch (const std::exception& e) {
    what = e.what();
  } catch (...) {
  }
  if (!exchange->head_seen()) addresses_->Failed(connection->address);
  exchange->buffer.Fail(exchange->Explain(server_.HostPort(), what));
}

void CpprestTransport::PrepareProcess() {
  static std::once_flag once;
  std::call_once(once, [] {
    ::setenv("SSL_CERT_FILE", "/dev/null", 1);
    // Signals are for the thread that waits for them, not for the library's.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      crossplat::threadpool::initialize_with_threads(1);
    } catch (const std::exception&) {
      log::Warning("cpprestsdk was in use before; its thread pool keeps its size");
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  });
}

CpprestTransport::CpprestTransport(std::shared_ptr<Credentials> credentials, Clock& clock,
                                   Options options)
    : ExchangeTransport(std::move(credentials), clock, std::move(options)) {
  PrepareProcess();
  core_ = std::make_shared<Core>(this->credentials().server(), this->options().user_agent);
}

CpprestTransport::~CpprestTransport() {
  std::promise<void> closed;
  asio::post(IoThread(), [core = core_, &closed] {
    core->CloseIdle();
    closed.set_value();
  });
  closed.get_future().wait();
}

void CpprestTransport::Begin(const std::shared_ptr<Exchange>& exchange) {
  asio::post(IoThread(), [core = core_, exchange] { core->Start(exchange); });
}

void CpprestTransport::Cancel(const std::shared_ptr<Exchange>& exchange, bool broken) {
  asio::post(IoThread(), [core = core_, exchange, broken] { core->Cancel(exchange, broken); });
}

}  // namespace dra::kube
