// SPDX-License-Identifier: Apache-2.0
//
// The API server's rules for resource.k8s.io/v1 ResourceClaims and their templates, as far as the
// product can meet them. `invalid` collects what is wrong.
#pragma once

#include <string>

#include "support/fake_store.h"

namespace dra::test {

// `field` is where the spec stands, for messages.
void ValidateClaimSpec(const Json& spec, const std::string& field, InvalidFields& invalid);
void ValidateClaimTemplate(const Json& object, InvalidFields& invalid);
void ValidateClaimStatus(const Json& old, const Json& next, InvalidFields& invalid);

void DefaultClaimSpec(Json& spec);

// status.devices of devices that leave the allocation go with it.
void DropDeallocatedDevices(const Json& old, Json& next);

}  // namespace dra::test
