#pragma once

#include "kinetic/result.h"

#include "base/clock.h"
#include "base/digest.h"

#include <string>

namespace kinetic::auth {

/// What certificates say of themselves. The first one of a chain is its owner's.
struct CertificateFacts {
  std::string subject;  ///< of the first, its common name; may be empty
  WallTime not_after;   ///< of the first
  /// Of what all of them say, however their text is laid out.
  Digest digest;
};

/// Reads certificates in PEM, one after another; other text between them is passed over.
///
/// @errors  kInvalidArgument: there is none, or which one cannot be read.
/// @source  RFC 7468
Result<CertificateFacts> ReadCertificates(const std::string& pem);

/// Whether `key_pem` is the private key of the first certificate.
///
/// @errors  kInvalidArgument: no key, an encrypted one, or another certificate's.
Status CheckKeyPair(const std::string& certificate_pem, const std::string& key_pem);

}  // namespace kinetic::auth
