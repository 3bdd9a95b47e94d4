// SPDX-License-Identifier: Apache-2.0
#include "api/status.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace dra::api {
namespace {

std::string Body(int code, std::string_view reason, std::string_view message,
                 const nlohmann::json& details = nlohmann::json::object()) {
  return nlohmann::json{{"kind", "Status"},    {"apiVersion", "v1"}, {"metadata", nullptr},
                        {"status", "Failure"}, {"code", code},       {"reason", reason},
                        {"message", message},  {"details", details}}
      .dump();
}

nlohmann::json Causes(const nlohmann::json& cause) {
  return {{"causes", nlohmann::json::array({cause})}};
}

Code CodeOf(int http_status, std::string_view reason, bool is_create = false) {
  return ErrorFromStatus(http_status, Body(http_status, reason, "m"), is_create).code();
}

TEST(StatusTest, MapsEachHttpStatusToItsCode) {
  EXPECT_EQ(CodeOf(401, "Unauthorized"), Code::kUnauthorized);
  EXPECT_EQ(CodeOf(403, "Forbidden"), Code::kForbidden);
  EXPECT_EQ(CodeOf(404, "NotFound"), Code::kNotFound);
  EXPECT_EQ(CodeOf(410, "Expired"), Code::kExpired);
  EXPECT_EQ(CodeOf(410, "Gone"), Code::kExpired);
  EXPECT_EQ(CodeOf(400, "BadRequest"), Code::kInvalid);
  EXPECT_EQ(CodeOf(413, "RequestEntityTooLarge"), Code::kInvalid);
  EXPECT_EQ(CodeOf(422, "Invalid"), Code::kInvalid);
  EXPECT_EQ(CodeOf(429, "TooManyRequests"), Code::kThrottled);
  EXPECT_EQ(CodeOf(500, "InternalError"), Code::kUnavailable);
  EXPECT_EQ(CodeOf(500, "ServerTimeout"), Code::kUnavailable);
  EXPECT_EQ(CodeOf(500, "Timeout"), Code::kTimeout);
  EXPECT_EQ(CodeOf(503, "ServiceUnavailable"), Code::kUnavailable);
  EXPECT_EQ(CodeOf(504, "Timeout"), Code::kTimeout);
  EXPECT_EQ(CodeOf(302, ""), Code::kInternal);
  EXPECT_EQ(CodeOf(200, ""), Code::kInternal);
}

TEST(StatusTest, TellsATakenNameFromAConflict) {
  EXPECT_EQ(CodeOf(409, "AlreadyExists", true), Code::kAlreadyExists);
  EXPECT_EQ(CodeOf(409, "Conflict", true), Code::kConflict);  // a quota that changed meanwhile
  EXPECT_EQ(CodeOf(409, "Conflict"), Code::kConflict);
  EXPECT_EQ(ErrorFromStatus(409, "", true).code(), Code::kAlreadyExists);
  EXPECT_EQ(ErrorFromStatus(409, "", false).code(), Code::kConflict);
}

TEST(StatusTest, TakesAnImmutableUidForAConflict) {
  const Error error = ErrorFromStatus(
      422,
      Body(422, "Invalid", "ResourceClaim.resource.k8s.io \"x\" is invalid: metadata.uid: ...",
           Causes({{"reason", "FieldValueInvalid"},
                   {"field", "metadata.uid"},
                   {"message", "Invalid value: \"u\": field is immutable"}})),
      false);
  EXPECT_EQ(error.code(), Code::kConflict);
  const Error other =
      ErrorFromStatus(422,
                      Body(422, "Invalid", "m",
                           Causes({{"reason", "FieldValueInvalid"},
                                   {"field", "status.allocation"},
                                   {"message", "Invalid value: field is immutable"}})),
                      false);
  EXPECT_EQ(other.code(), Code::kInvalid);
}

TEST(StatusTest, TakesMissingStatusPermissionForForbidden) {
  for (const char* text :
       {"Forbidden: changing status.allocation or status.reservedFor requires "
        "resource=\"resourceclaims/binding\", verb=\"patch\" permission: denied",
        "Forbidden: changing status.devices requires resource=\"resourceclaims/driver\", "
        "verb=\"[arbitrary-node:patch]\" permission: denied"}) {
    const Error error = ErrorFromStatus(
        422,
        Body(422, "Invalid", "is invalid",
             Causes({{"reason", "FieldValueForbidden"}, {"field", "status"}, {"message", text}})),
        false);
    EXPECT_EQ(error.code(), Code::kForbidden) << text;
    EXPECT_EQ(error.http_status, 422);
    EXPECT_EQ(error.causes, std::vector<std::string>{std::string("status: ") + text});
    // Without details, as some proxies leave it.
    EXPECT_EQ(ErrorFromStatus(422, Body(422, "Invalid", text), false).code(), Code::kForbidden);
  }
}

TEST(StatusTest, LeavesOtherForbiddenFieldsInvalid) {
  const Error error = ErrorFromStatus(
      422,
      Body(422, "Invalid", "m",
           Causes({{"reason", "FieldValueForbidden"},
                   {"field", "spec.devices.requests[0].adminAccess"},
                   {"message", "Forbidden: admin access to devices requires the label"}})),
      true);
  EXPECT_EQ(error.code(), Code::kInvalid);
}

TEST(StatusTest, RecognizesAnExceededQuota) {
  const Error error = ErrorFromStatus(
      403,
      Body(403, "Forbidden",
           "resourceclaims.resource.k8s.io \"c\" is forbidden: exceeded quota: q, requested: "
           "count/resourceclaims.resource.k8s.io=1, used: 5, limited: 5"),
      true);
  EXPECT_EQ(error.code(), Code::kForbidden);
  EXPECT_TRUE(IsQuotaExceeded(error));
  EXPECT_FALSE(IsNamespaceTerminating(error));
  EXPECT_FALSE(IsQuotaExceeded(ErrorFromStatus(403, Body(403, "Forbidden", "no"), true)));
}

TEST(StatusTest, RecognizesATerminatingNamespaceByItsCause) {
  const Error error = ErrorFromStatus(
      403,
      Body(403, "Forbidden", "unable to create new content in namespace ml because ...",
           Causes({{"reason", "NamespaceTerminating"},
                   {"field", "metadata.namespace"},
                   {"message", "namespace ml is being terminated"}})),
      true);
  EXPECT_EQ(error.code(), Code::kForbidden);
  EXPECT_TRUE(IsNamespaceTerminating(error));
  EXPECT_TRUE(IsNamespaceTerminating(error.Context("create claim")));
  EXPECT_FALSE(IsQuotaExceeded(error));
}

TEST(StatusTest, RecognizesAWebhookThatCouldNotBeAsked) {
  const Error error = ErrorFromStatus(
      500,
      Body(500, "InternalError",
           "Internal error occurred: failed calling webhook \"a.b.c\": failed to call webhook: x"),
      true);
  EXPECT_EQ(error.code(), Code::kUnavailable);
  EXPECT_TRUE(IsAdmissionWebhookFailure(error));
  EXPECT_FALSE(
      IsAdmissionWebhookFailure(ErrorFromStatus(500, Body(500, "InternalError", "x"), true)));
}

TEST(StatusTest, DoesNotBelieveAWebhookThatDeniesWithTheStatusOfAnObject) {
  const char* denial = "admission webhook \"a.b.c\" denied the request: no";
  for (const int status : {401, 404, 409, 410}) {
    EXPECT_EQ(ErrorFromStatus(status, Body(status, "AlreadyExists", denial), true).code(),
              Code::kForbidden);
  }
  EXPECT_EQ(ErrorFromStatus(400, Body(400, "", denial), true).code(), Code::kInvalid);
  EXPECT_EQ(ErrorFromStatus(429, Body(429, "", denial), true).code(), Code::kThrottled);
}

TEST(StatusTest, TakesTheRetryTimeWithinBounds) {
  const auto retry = [](const nlohmann::json& seconds) {
    return ErrorFromStatus(429, Body(429, "", "m", {{"retryAfterSeconds", seconds}}), false)
        .retry_after;
  };
  EXPECT_EQ(retry(7), std::chrono::seconds(7));
  EXPECT_EQ(retry(9'000'000'000'000'000'000), std::chrono::hours(1));
  EXPECT_EQ(retry(0), std::nullopt);
  EXPECT_EQ(retry(-5), std::nullopt);
  EXPECT_EQ(retry("7"), std::nullopt);
}

TEST(StatusTest, KeepsAtMostSixteenCauses) {
  nlohmann::json causes = nlohmann::json::array();
  for (int i = 0; i < 40; ++i) causes.push_back({{"reason", "R"}, {"message", "m"}});
  const Error error = ErrorFromStatus(422, Body(422, "Invalid", "m", {{"causes", causes}}), false);
  EXPECT_EQ(error.causes.size(), 16U);
  EXPECT_EQ(error.cause_reasons.size(), 16U);
  EXPECT_EQ(error.causes.front(), "m");
}

TEST(StatusTest, ShowsTheStartOfABodyThatIsNoStatusEscaped) {
  const std::string body = "<html>\n\x1b[31m\xFF" + std::string(1000, 'x');
  const Error error = ErrorFromStatus(502, body, false);
  EXPECT_EQ(error.code(), Code::kUnavailable);
  EXPECT_TRUE(error.message().starts_with("<html>\\x0a\\x1b[31m\\xffxxx"));
  EXPECT_EQ(error.message().size(), 256U + 3 * 3U);
}

TEST(StatusTest, HasAMessageEvenForAnEmptyBody) {
  EXPECT_EQ(ErrorFromStatus(503, "", false).message(), "HTTP status 503");
  EXPECT_EQ(ErrorFromStatus(0, "", false).code(), Code::kInternal);
}

TEST(StatusTest, SurvivesBodiesOfAnyShape) {
  const std::string deep(50'000, '[');
  for (const std::string& body :
       {std::string("[]"), std::string("null"), std::string("{\"kind\":5}"), deep,
        "{\"kind\":\"Status\",\"details\":" + deep, std::string(2U << 20U, '{'),
        std::string("{\"kind\":\"Status\",\"code\":1e99,\"reason\":[],\"message\":{},"
                    "\"details\":{\"causes\":[1,null,{\"field\":2}],\"retryAfterSeconds\":{}}}"),
        std::string("{\"kind\":\"Status\",\"details\":[1]}"), std::string("\xFF\xFE", 2)}) {
    const Error error = ErrorFromStatus(500, body, false);
    EXPECT_EQ(error.code(), Code::kUnavailable);
    EXPECT_FALSE(error.message().empty());
  }
  EXPECT_LE(ErrorFromStatus(500, Body(500, "", std::string(100'000, 'm')), false).message().size(),
            4096U);
}

}  // namespace
}  // namespace dra::api
