#include "job/bundle/seen_list.h"

#include "base/hash/digest.h"
#include "base/strings.h"

namespace kinetic::job {

SeenList::SeenList(const Context& context, std::string_view folder, const Path& project)
    : fs_(context.fs) {
  constexpr std::uint64_t kMaxListBytes = 1U << 20;
  constexpr std::size_t kNameLength = 32;
  file_ = context.options.cache_dir / folder /
          Sha256::Of(project.native()).Hex().substr(0, kNameLength);
  const auto text = ReadFile(fs_, file_, kMaxListBytes);
  for (const auto line : Split(text ? std::string_view(*text) : "", '\n')) known_.emplace(line);
}

bool SeenList::Has(std::string_view text) const { return known_.contains(Sha256::Of(text).Hex()); }

void SeenList::Keep(const std::vector<std::string>& texts) const {
  std::string lines;
  for (const auto& text : texts) lines += Sha256::Of(text).Hex() + "\n";
  (void)MakeDirectories(fs_, file_.parent_path());
  (void)WriteFileAtomically(fs_, file_, lines);
}

}  // namespace kinetic::job
