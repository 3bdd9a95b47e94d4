// SPDX-License-Identifier: Apache-2.0
#include "kube/kubeconfig.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include <yaml-cpp/yaml.h>

#include "base/strings.h"
#include "kube/base64.h"
#include "kube/server_url.h"
#include "kube/small_file.h"

namespace dra::kube {
namespace {

constexpr std::size_t kMaxEntries = 5000;  // of a list; real files have dozens
constexpr int kMaxNesting = 64;            // of brackets; kubeconfigs need four

Error Invalid(std::string message) { return Error(Code::kInvalid, std::move(message)); }

// YAML that is cheap to refuse before the parser sees it: its recursion and its token queue grow
// with nested flow collections.
bool NestsTooDeeply(const std::string& text) {
  int depth = 0;
  for (const char c : text) {
    if (c == '[' || c == '{') ++depth;
    if ((c == ']' || c == '}') && depth > 0) --depth;
    if (depth > kMaxNesting) return true;
  }
  return false;
}

// A user or cluster entry found by name, with what is needed to complain about it.
struct Entry {
  std::string what;  // `user "admin"`
  YAML::Node body;
};

Result<std::string> Text(const Entry& entry, const char* key) {
  const YAML::Node node = entry.body[key];
  if (!node || node.IsNull()) return std::string();
  if (!node.IsScalar()) return Invalid(entry.what + ": " + key + " must be a string");
  return node.Scalar();
}

Result<bool> Flag(const Entry& entry, const char* key) {
  DRA_TRY(const std::string text, Text(entry, key));
  if (text.empty() || text == "false") return false;
  if (text == "true") return true;
  return Invalid(entry.what + ": " + key + " must be true or false");
}

std::string Absolute(const std::string& path, const std::string& directory) {
  return path.empty() ? path : (std::filesystem::path(directory) / path).string();
}

// `key` names a file, `key`-data holds the same inline.
Result<PemSource> Pem(const Entry& entry, const std::string& key, const std::string& directory) {
  PemSource source;
  DRA_TRY(const std::string path, Text(entry, key.c_str()));
  DRA_TRY(const std::string data, Text(entry, (key + "-data").c_str()));
  source.path = Absolute(path, directory);
  if (!data.empty()) {
    auto decoded = DecodeBase64(data);
    if (!decoded) return Invalid(entry.what + ": " + key + "-data is not base64");
    source.data = std::move(*decoded);
  }
  return source;
}

// The element called `name` of the list `list`; its part `part` is what the list is about.
Result<Entry> Find(const YAML::Node& root, const char* list, const char* part,
                   std::string_view name) {
  const YAML::Node nodes = root[list];
  if (nodes && !nodes.IsNull() && !nodes.IsSequence()) {
    return Invalid(std::string(list) + " must be a list");
  }
  if (nodes && nodes.size() > kMaxEntries) return Invalid(std::string(list) + " is too long");
  std::vector<std::string> names;
  for (const YAML::Node& node : nodes) {
    if (!node.IsMap() || !node["name"] || !node["name"].IsScalar()) continue;
    if (node["name"].Scalar() != name) {
      names.push_back(Truncate(node["name"].Scalar(), 100));
      continue;
    }
    Entry entry{std::string(part) + " \"" + Truncate(name, 100) + "\"", node[part]};
    if (!entry.body || entry.body.IsNull()) entry.body = YAML::Node(YAML::NodeType::Map);
    if (!entry.body.IsMap()) return Invalid(entry.what + " must be a map");
    return entry;
  }
  constexpr std::size_t kNamed = 20;
  if (names.size() > kNamed) names.resize(kNamed);
  return Invalid("no " + std::string(part) + " \"" + Truncate(name, 100) + "\"; there " +
                 (names.empty() ? "is none" : "are: " + Join(names, ", ")));
}

Result<void> RefuseUnsupported(const Entry& entry) {
  struct Refusal {
    const char* key;
    const char* why;
  };
  constexpr std::array kRefusals{
      Refusal{"exec", "exec credential plugins are not supported; use a token file"},
      Refusal{"auth-provider", "auth-provider plugins are not supported; use a token file"},
      Refusal{"username", "user name and password are not supported by Kubernetes any more"},
      Refusal{"password", "user name and password are not supported by Kubernetes any more"},
      Refusal{"as", "impersonation is not supported"},
      Refusal{"as-uid", "impersonation is not supported"},
      Refusal{"as-groups", "impersonation is not supported"},
      Refusal{"as-user-extra", "impersonation is not supported"},
      Refusal{"proxy-url", "proxies are not supported; the API server is reached directly"},
  };
  for (const Refusal& refusal : kRefusals) {
    const YAML::Node node = entry.body[refusal.key];
    if (node && !node.IsNull()) {
      return Invalid(entry.what + ": " + refusal.key + ": " + refusal.why);
    }
  }
  return {};
}

Result<void> ReadCluster(const Entry& entry, const std::string& directory, ClusterConfig& config) {
  DRA_RETURN_IF_ERROR(RefuseUnsupported(entry));
  DRA_TRY(config.server, Text(entry, "server"));
  if (config.server.empty()) return Invalid(entry.what + " has no server");
  const auto url = ServerUrl::Parse(config.server);
  if (!url.ok()) return url.error().Context(entry.what);
  DRA_TRY(config.tls_server_name, Text(entry, "tls-server-name"));
  DRA_TRY(config.insecure_skip_tls_verify, Flag(entry, "insecure-skip-tls-verify"));
  DRA_TRY(config.ca, Pem(entry, "certificate-authority", directory));
  if (config.insecure_skip_tls_verify && !config.ca.empty()) {
    return Invalid(entry.what +
                   ": certificate-authority and insecure-skip-tls-verify exclude each other");
  }
  return {};
}

Result<void> ReadUser(const Entry& entry, const std::string& directory, ClusterConfig& config) {
  DRA_RETURN_IF_ERROR(RefuseUnsupported(entry));
  DRA_TRY(config.token, Text(entry, "token"));
  DRA_TRY(const std::string token_file, Text(entry, "tokenFile"));
  config.token_file = Absolute(token_file, directory);
  DRA_TRY(config.client_certificate, Pem(entry, "client-certificate", directory));
  DRA_TRY(config.client_key, Pem(entry, "client-key", directory));
  if (config.client_certificate.empty() != config.client_key.empty()) {
    return Invalid(entry.what + ": client-certificate and client-key must be given together");
  }
  return {};
}

Result<ClusterConfig> Resolve(const YAML::Node& root, const std::string& directory,
                              std::string_view wanted) {
  if (!root.IsMap()) return Invalid("not a kubeconfig: the document is no map");
  const Entry whole{"kubeconfig", root};
  std::string context(wanted);
  if (context.empty()) {
    DRA_TRY(context, Text(whole, "current-context"));
    if (context.empty()) return Invalid("no current-context is set, and none was asked for");
  }
  DRA_TRY(const Entry chosen, Find(root, "contexts", "context", context));
  DRA_TRY(const std::string cluster, Text(chosen, "cluster"));
  DRA_TRY(const std::string user, Text(chosen, "user"));
  if (cluster.empty()) return Invalid(chosen.what + " has no cluster");

  ClusterConfig config;
  config.origin = "context " + Truncate(context, 100);
  DRA_TRY(config.ns, Text(chosen, "namespace"));
  DRA_TRY(const Entry cluster_entry, Find(root, "clusters", "cluster", cluster));
  DRA_RETURN_IF_ERROR(ReadCluster(cluster_entry, directory, config));
  if (user.empty()) return config;
  DRA_TRY(const Entry user_entry, Find(root, "users", "user", user));
  DRA_RETURN_IF_ERROR(ReadUser(user_entry, directory, config));
  return config;
}

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

Result<ClusterConfig> ParseKubeconfig(const std::string& text, const std::string& directory,
                                      std::string_view context) {
  if (text.size() > kMaxKubeconfig) return Invalid("larger than 1 MiB");
  if (NestsTooDeeply(text)) return Invalid("nested too deeply");
  try {
    return Resolve(YAML::Load(text), directory, context);
  } catch (const std::exception& e) {  // yaml-cpp reports by exceptions only
    return Invalid("not YAML: " + Truncate(e.what(), 200));
  }
}

Result<ClusterConfig> LoadKubeconfig(const std::string& path, std::string_view context) {
  auto text = ReadSmallFile(path, kMaxKubeconfig);
  if (!text.ok()) return text.error().Context("kubeconfig");
  const std::string directory = std::filesystem::path(path).parent_path().string();
  auto config = ParseKubeconfig(*text, directory.empty() ? "." : directory, context);
  if (!config.ok()) return config.error().Context("kubeconfig " + path);
  config->origin = path + ", " + config->origin;
  return config;
}

Result<ClusterConfig> InClusterConfig(const std::string& directory) {
  const std::string host = Environment("KUBERNETES_SERVICE_HOST");
  const std::string port = Environment("KUBERNETES_SERVICE_PORT");
  if (host.empty() || port.empty()) {
    return Error(Code::kNotFound,
                 "not inside a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are "
                 "not set; give a kubeconfig");
  }
  constexpr std::size_t kMaxNamespace = 4096;
  ClusterConfig config;
  config.origin = "in-cluster";
  const bool ipv6 = host.find(':') != std::string::npos;
  config.server = "https://" + (ipv6 ? "[" + host + "]" : host) + ":" + port;
  const auto url = ServerUrl::Parse(config.server);
  if (!url.ok()) return url.error().Context("KUBERNETES_SERVICE_HOST and _PORT");
  config.token_file = directory + "/token";
  config.ca.path = directory + "/ca.crt";
  if (auto ns = ReadSmallFile(directory + "/namespace", kMaxNamespace); ns.ok()) {
    config.ns = *ns;
    while (!config.ns.empty() && std::isspace(static_cast<unsigned char>(config.ns.back())) != 0) {
      config.ns.pop_back();
    }
  }
  return config;
}

}  // namespace dra::kube
