// SPDX-License-Identifier: Apache-2.0
//
// ClusterConfig: where a cluster is and who we are there, as a kubeconfig or a Pod's mounts say it.
// It names files and does not read them: Credentials does, again and again.
#pragma once

#include <string>

namespace dra::kube {

// A PEM document: inline, or in a file that may be replaced while we run. Inline data wins.
struct PemSource {
  std::string data;
  std::string path;

  bool empty() const { return data.empty() && path.empty(); }
};

struct ClusterConfig {
  std::string origin;  // for messages: "in-cluster", or the kubeconfig and its context
  std::string server;  // URL
  std::string ns;      // the default namespace; may be empty

  std::string tls_server_name;  // the name in the server's certificate; empty: the URL's host
  PemSource ca;                 // empty: the system's roots
  bool insecure_skip_tls_verify = false;

  std::string token;
  std::string token_file;  // wins over `token`
  PemSource client_certificate;
  PemSource client_key;
};

}  // namespace dra::kube
