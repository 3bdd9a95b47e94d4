// SPDX-License-Identifier: Apache-2.0
#include "kube/small_file.h"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace dra::kube {
namespace {

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  int get() const { return fd_; }

 private:
  const int fd_;
};

Error Failed(const std::string& path, int error) {
  const Code code = error == ENOENT || error == ENOTDIR ? Code::kNotFound
                    : error == EACCES || error == EPERM ? Code::kForbidden
                                                        : Code::kInvalid;
  return Error(code, path + ": " + std::generic_category().message(error));
}

}  // namespace

Result<std::string> ReadSmallFile(const std::string& path, std::size_t max_bytes) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return Failed(path, errno);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return Failed(path, errno);
  if (!S_ISREG(status.st_mode)) return Error(Code::kInvalid, path + ": not a regular file");
  const Error too_big(Code::kInvalid,
                      path + ": larger than " + std::to_string(max_bytes) + " bytes");
  if (status.st_size > static_cast<off_t>(max_bytes)) return too_big;

  std::string content(max_bytes + 1, '\0');  // one more: the file may grow while it is read
  std::size_t size = 0;
  while (size < content.size()) {
    const ssize_t got = ::read(file.get(), content.data() + size, content.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Failed(path, errno);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  if (size > max_bytes) return too_big;
  content.resize(size);
  return content;
}

}  // namespace dra::kube
