// SPDX-License-Identifier: Apache-2.0
#include "kube/socket_options.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

namespace dra::kube {
namespace {

// A refused option costs early detection and nothing else, so failures are not reported.
void Set(int socket, int level, int option, int value) {
  ::setsockopt(socket, level, option, &value, sizeof(value));
}

}  // namespace

void EnableKeepAlive(int socket) {
  constexpr int kIdleSeconds = 30;
  constexpr int kIntervalSeconds = 10;
  constexpr int kProbes = 3;
  constexpr int kUnansweredMilliseconds = 30'000;
  Set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  Set(socket, IPPROTO_TCP, TCP_KEEPIDLE, kIdleSeconds);
  Set(socket, IPPROTO_TCP, TCP_KEEPINTVL, kIntervalSeconds);
  Set(socket, IPPROTO_TCP, TCP_KEEPCNT, kProbes);
  Set(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, kUnansweredMilliseconds);
}

bool HasInput(int socket) {
  pollfd entry{.fd = socket, .events = POLLIN | POLLRDHUP, .revents = 0};
  return ::poll(&entry, 1, 0) != 0;
}

}  // namespace dra::kube
