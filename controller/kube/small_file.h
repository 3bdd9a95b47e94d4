// SPDX-License-Identifier: Apache-2.0
//
// Reading what others mount for us: kubeconfigs, certificates, tokens.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace dra::kube {

// The whole regular file. kNotFound if there is none, kInvalid if it is no regular file or has more
// than `max_bytes`, kForbidden if it may not be read. Never blocks on a pipe or a device.
Result<std::string> ReadSmallFile(const std::string& path, std::size_t max_bytes);

}  // namespace dra::kube
