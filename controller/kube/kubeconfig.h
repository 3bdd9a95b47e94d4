// SPDX-License-Identifier: Apache-2.0
//
// Where a ClusterConfig comes from: a kubeconfig file, or the files and variables that a Pod has.
//
// Of a kubeconfig, what would change who we are or which way we take, and which we cannot do, is
// refused by name: exec and auth-provider plugins, user name and password, impersonation,
// proxy-url. Proxy environment variables are never looked at: API servers are reached directly.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "kube/cluster_config.h"

namespace dra::kube {

inline constexpr std::size_t kMaxKubeconfig = 1U << 20U;

// `context` empty: the file's current-context. kNotFound if there is no file, kInvalid with a
// message that names what is wrong otherwise. Relative paths inside are relative to the file.
Result<ClusterConfig> LoadKubeconfig(const std::string& path, std::string_view context = {});

// The same on text (YAML or JSON, which is YAML); `directory` is what relative paths start from.
Result<ClusterConfig> ParseKubeconfig(const std::string& text, const std::string& directory,
                                      std::string_view context = {});

// Inside a Pod: KUBERNETES_SERVICE_HOST and _PORT, and the mounted service account in `directory`.
// kNotFound outside of one.
Result<ClusterConfig> InClusterConfig(
    const std::string& directory = "/var/run/secrets/kubernetes.io/serviceaccount");

}  // namespace dra::kube
