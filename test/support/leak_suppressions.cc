// SPDX-License-Identifier: Apache-2.0
//
// What LeakSanitizer must not report. cpprestsdk's pool thread lives until the process ends: tasks
// that it has not run by then, and what OpenSSL keeps for the thread, are leaks at exit by luck of
// timing. Neither library has frame pointers, so whole libraries are named. The price: an object of
// ours that only such a task holds is not reported either; the tests of transport life cycles count
// open connections instead.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libcrypto.so\nleak:libssl.so\nleak:libcpprest.so\nleak:pplx::\nleak:Concurrency::"
         "streams\n";
}
