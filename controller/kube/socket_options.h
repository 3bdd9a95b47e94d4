// SPDX-License-Identifier: Apache-2.0
//
// What the operating system is asked about a TCP connection, by file descriptor.
#pragma once

#include <string>

namespace dra::kube {

// Makes the kernel find out that the peer is gone: an idle connection within a minute, one with
// unanswered data within 30 seconds. Without it a half-open connection looks healthy for ever.
void EnableKeepAlive(int socket);

// True if the peer has closed the idle connection or sent something unasked for. Either way no
// request may go out on it.
bool HasInput(int socket);

}  // namespace dra::kube
