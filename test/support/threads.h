// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <thread>

namespace dra::test {

// Gives other threads the time to act on what the test did: FakeClock's waiters look up every 5 ms.
// Only for tests that count what happened at most; what must happen is awaited by its effect.
inline void LetThreadsRun() { std::this_thread::sleep_for(std::chrono::milliseconds(15)); }

}  // namespace dra::test
