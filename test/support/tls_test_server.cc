// SPDX-License-Identifier: Apache-2.0
#include "support/tls_test_server.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <stdexcept>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <signal.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

namespace dra::test {
namespace {

void Check(bool ok, const char* what) {
  if (!ok) throw std::runtime_error(std::string("test server: ") + what);
}

std::shared_ptr<SSL_CTX> NewContext(const TlsTestServer::Options& options) {
  std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  const auto bio = [](const std::string& text) {
    return std::shared_ptr<BIO>(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())),
                                BIO_free);
  };
  std::shared_ptr<X509> leaf(
      PEM_read_bio_X509(bio(options.certificate->certificate).get(), nullptr, nullptr, nullptr),
      X509_free);
  std::shared_ptr<EVP_PKEY> key(
      PEM_read_bio_PrivateKey(bio(options.certificate->key).get(), nullptr, nullptr, nullptr),
      EVP_PKEY_free);
  Check(SSL_CTX_use_certificate(context.get(), leaf.get()) == 1, "certificate");
  Check(SSL_CTX_use_PrivateKey(context.get(), key.get()) == 1, "key");
  if (options.max_tls_version != 0) {
    SSL_CTX_set_security_level(context.get(), 0);  // old versions need it
    SSL_CTX_set_max_proto_version(context.get(), options.max_tls_version);
    SSL_CTX_set_min_proto_version(context.get(), TLS1_VERSION);
  }
  if (!options.client_ca.empty()) {
    std::shared_ptr<X509> ca(
        PEM_read_bio_X509(bio(options.client_ca).get(), nullptr, nullptr, nullptr), X509_free);
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context.get()), ca.get());
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  }
  return context;
}

std::size_t ContentLength(const ReceivedRequest& request) {
  const std::string text = request.Header("content-length");
  std::size_t length = 0;
  std::from_chars(text.data(), text.data() + text.size(), length);
  return length;
}

std::string Hex(std::size_t number) {
  std::array<char, 20> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number, 16);
  return {text.data(), end.ptr};
}

}  // namespace

std::string ReceivedRequest::Header(std::string_view name) const {
  std::size_t begin = 0;
  while (begin < head.size()) {
    const std::size_t end = std::min(head.find("\r\n", begin), head.size());
    const std::string line = head.substr(begin, end - begin);
    if (line.size() > name.size() && line[name.size()] == ':' &&
        ::strncasecmp(line.data(), name.data(), name.size()) == 0) {
      const std::size_t value = line.find_first_not_of(' ', name.size() + 1);
      return value == std::string::npos ? "" : line.substr(value);
    }
    begin = end + 2;
  }
  return {};
}

int TlsTestServer::Peer::ReadSome(char* out, int size) {
  if (tls_ != nullptr) return SSL_read(tls_, out, size);
  return static_cast<int>(::recv(socket_, out, static_cast<std::size_t>(size), 0));
}

std::optional<ReceivedRequest> TlsTestServer::Peer::ReadRequest() {
  std::array<char, 65536> buffer{};
  ReceivedRequest request;
  std::size_t head_end = std::string::npos;
  for (;;) {
    if (head_end == std::string::npos) {
      head_end = unread_.find("\r\n\r\n");
      if (head_end != std::string::npos) {
        request.head = unread_.substr(0, head_end + 2);
        unread_.erase(0, head_end + 4);
      }
    }
    if (head_end != std::string::npos && unread_.size() >= ContentLength(request)) break;
    const int got = ReadSome(buffer.data(), static_cast<int>(buffer.size()));
    if (got <= 0) return std::nullopt;
    unread_.append(buffer.data(), static_cast<std::size_t>(got));
  }
  request.body = unread_.substr(0, ContentLength(request));
  unread_.erase(0, request.body.size());
  const std::size_t space = request.head.find(' ');
  request.method = request.head.substr(0, space);
  request.target = request.head.substr(space + 1, request.head.find(' ', space + 1) - space - 1);
  MutexLock lock(server_.mutex_);
  server_.requests_.push_back(request);
  return request;
}

bool TlsTestServer::Peer::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const int chunk = static_cast<int>(std::min<std::size_t>(bytes.size(), 1U << 20U));
    const int sent = tls_ != nullptr
                         ? SSL_write(tls_, bytes.data(), chunk)
                         : static_cast<int>(::send(socket_, bytes.data(),
                                                   static_cast<std::size_t>(chunk), MSG_NOSIGNAL));
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool TlsTestServer::Peer::Respond(int status, std::string_view body, std::string_view headers) {
  return Write("HTTP/1.1 " + std::to_string(status) + " X\r\n" + std::string(headers) +
               "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body));
}

bool TlsTestServer::Peer::StartChunked(int status, std::string_view headers) {
  return Write("HTTP/1.1 " + std::to_string(status) + " X\r\n" + std::string(headers) +
               "Transfer-Encoding: chunked\r\n\r\n");
}

bool TlsTestServer::Peer::WriteChunk(std::string_view bytes) {
  return Write(Hex(bytes.size()) + "\r\n" + std::string(bytes) + "\r\n");
}

void TlsTestServer::Peer::AwaitClose() {
  std::array<char, 4096> buffer{};
  while (ReadSome(buffer.data(), static_cast<int>(buffer.size())) > 0) {
  }
}

void TlsTestServer::Peer::Reset() {
  const linger now{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
}

std::string TlsTestServer::Peer::server_name() const {
  const char* name =
      tls_ == nullptr ? nullptr : SSL_get_servername(tls_, TLSEXT_NAMETYPE_host_name);
  return name == nullptr ? "" : name;
}

TlsTestServer::TlsTestServer(Options options, Script script)
    : options_(std::move(options)), script_(std::move(script)) {
  if (options_.certificate) context_ = NewContext(options_);
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  six.sin6_addr = in6addr_loopback;
  sockaddr_in four{};
  four.sin_family = AF_INET;
  four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* address =
      options_.ipv6 ? reinterpret_cast<sockaddr*>(&six) : reinterpret_cast<sockaddr*>(&four);
  socklen_t size = options_.ipv6 ? sizeof(six) : sizeof(four);
  listener_ = ::socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (options_.receive_buffer > 0) {
    ::setsockopt(listener_, SOL_SOCKET, SO_RCVBUF, &options_.receive_buffer, sizeof(int));
  }
  Check(::bind(listener_, address, size) == 0 && ::listen(listener_, 128) == 0, "bind");
  ::getsockname(listener_, address, &size);
  port_ = ntohs(options_.ipv6 ? six.sin6_port : four.sin_port);
  acceptor_ = std::jthread([this](const std::stop_token& stop) { Accept(stop); });
}

TlsTestServer::~TlsTestServer() {
  acceptor_.request_stop();
  ::shutdown(listener_, SHUT_RDWR);  // wakes accept()
  acceptor_.join();
  std::vector<std::jthread> threads;
  {
    MutexLock lock(mutex_);
    stopped_ = true;
    for (const int socket : open_) ::shutdown(socket, SHUT_RDWR);
    threads.swap(threads_);
  }
  threads.clear();
  ::close(listener_);
}

std::string TlsTestServer::url(const std::string& host) const {
  const std::string name = !host.empty() ? host : options_.ipv6 ? "[::1]" : "127.0.0.1";
  return (options_.certificate ? "https://" : "http://") + name + ":" + std::to_string(port_);
}

std::vector<ReceivedRequest> TlsTestServer::requests() const {
  MutexLock lock(mutex_);
  return requests_;
}

bool TlsTestServer::AwaitNoConnections() {
  MutexLock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::seconds(10), [this] { return open_.empty(); });
}

void TlsTestServer::Accept(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) continue;
    const int on = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    const int number = connections_++;
    MutexLock lock(mutex_);
    open_.push_back(socket);
    threads_.emplace_back([this, socket, number] { Serve(socket, number); });
  }
}

bool TlsTestServer::Handshake(Peer& peer) {
  peer.tls_ = SSL_new(context_.get());
  SSL_set_fd(peer.tls_, peer.socket_);
  ERR_clear_error();
  if (SSL_accept(peer.tls_) != 1) return false;
  ++handshakes_;
  return true;
}

void TlsTestServer::Serve(int socket, int number) {
  // OpenSSL writes without MSG_NOSIGNAL; only this thread may be deaf to it, not the code under
  // test.
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
  Peer peer(*this, socket, number);
  if (!context_ || Handshake(peer)) {
    script_(peer);
    if (peer.tls_ != nullptr) SSL_shutdown(peer.tls_);
  }
  if (peer.tls_ != nullptr) SSL_free(peer.tls_);
  MutexLock lock(mutex_);
  open_.erase(std::find(open_.begin(), open_.end(), socket));
  ::close(socket);
  changed_.notify_all();
}

TlsTestServer::Script Always(int status, std::string body, std::string headers) {
  return [=](TlsTestServer::Peer& peer) {
    while (peer.ReadRequest()) {
      if (!peer.Respond(status, body, headers)) return;
    }
  };
}

}  // namespace dra::test
