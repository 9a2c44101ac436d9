#include "base/piecewise_sha256.h"

#include <utility>

namespace kinetic {

void PiecewiseSha256::Update(std::string_view bytes) {
  whole_.Update(bytes);
  if (!is_first_) piece_.Update(bytes);
}

Digest PiecewiseSha256::EndPiece() {
  return std::exchange(is_first_, false) ? whole_.SoFar() : piece_.Finish();
}

Digest PiecewiseSha256::Finish() { return whole_.Finish(); }

}  // namespace kinetic
