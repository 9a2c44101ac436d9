#pragma once

#include "kinetic/result.h"

#include "base/hash/digest.h"
#include "base/time/clock.h"

#include <string>

namespace kinetic::auth {

/// Properties of a certificate chain. The first certificate is the owner's.
struct CertificateInfo {
  std::string subject;  ///< common name of the first certificate; may be empty
  WallTime not_after;   ///< of the first certificate
  Digest digest;        ///< of the DER encodings of all certificates
};

/// Parses concatenated PEM certificates and ignores text between them.
///
/// @errors  kInvalidArgument: no certificate, or an invalid one.
/// @source  RFC 7468
Result<CertificateInfo> ReadCertificates(const std::string& pem);

/// Checks that `key_pem` is the private key of the first certificate.
///
/// @errors  kInvalidArgument: no key, an encrypted key, or the key of another certificate.
Status CheckKeyPair(const std::string& certificate_pem, const std::string& key_pem);

}  // namespace kinetic::auth
