#include "support/certificates.h"

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <atomic>

namespace kinetic::test {
namespace {

struct Free {
  void operator()(X509* value) const { X509_free(value); }
  void operator()(EVP_PKEY* value) const { EVP_PKEY_free(value); }
  void operator()(BIO* value) const { BIO_free(value); }
  void operator()(X509_EXTENSION* value) const { X509_EXTENSION_free(value); }
};
using CertificatePtr = std::unique_ptr<X509, Free>;
using KeyPtr = std::unique_ptr<EVP_PKEY, Free>;

std::string Text(const std::unique_ptr<BIO, Free>& bio) {
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

std::string PemOf(X509* certificate) {
  const std::unique_ptr<BIO, Free> bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(bio.get(), certificate);
  return Text(bio);
}

std::string PemOf(EVP_PKEY* key) {
  const std::unique_ptr<BIO, Free> bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
  return Text(bio);
}

void SetName(X509_NAME* to, const std::string& name) {
  X509_NAME_add_entry_by_txt(to, "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
}

void Extend(X509* certificate, X509* issuer, int id, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const std::unique_ptr<X509_EXTENSION, Free> extension(
      X509V3_EXT_conf_nid(nullptr, &context, id, value.c_str()));
  X509_add_ext(certificate, extension.get(), -1);
}

CertificatePtr Make(EVP_PKEY* key, const CertificateRequest& request) {
  static std::atomic<long> serial{1};
  CertificatePtr certificate(X509_new());
  X509_set_version(certificate.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), ++serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), request.not_before.count());
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), request.not_after.count());
  X509_set_pubkey(certificate.get(), key);
  SetName(X509_get_subject_name(certificate.get()), request.name);
  return certificate;
}

bool IsAddress(const std::string& name) {
  return name.find_first_not_of("0123456789.") == std::string::npos;
}

}  // namespace

struct Authority::State {
  KeyPtr key;
  CertificatePtr certificate;
};

Authority::Authority() : state_(std::make_unique<State>()) {
  state_->key.reset(EVP_EC_gen("P-256"));
  state_->certificate = Make(state_->key.get(), {"test authority"});
  X509* certificate = state_->certificate.get();
  X509_set_issuer_name(certificate, X509_get_subject_name(certificate));
  Extend(certificate, certificate, NID_basic_constraints, "critical,CA:TRUE");
  Extend(certificate, certificate, NID_key_usage, "critical,keyCertSign,cRLSign");
  X509_sign(certificate, state_->key.get(), EVP_sha256());
}

Authority::~Authority() = default;

std::string Authority::Pem() const { return PemOf(state_->certificate.get()); }

Certificate Authority::Issue(const CertificateRequest& request) const {
  const KeyPtr key(EVP_EC_gen("P-256"));
  const CertificatePtr certificate = Make(key.get(), request);
  X509* issuer = state_->certificate.get();
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(issuer));
  Extend(certificate.get(), issuer, NID_subject_alt_name,
         (IsAddress(request.name) ? "IP:" : "DNS:") + request.name);
  X509_sign(certificate.get(), state_->key.get(), EVP_sha256());
  return {PemOf(certificate.get()), PemOf(key.get())};
}

}  // namespace kinetic::test
