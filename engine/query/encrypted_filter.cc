#include "engine/query/encrypted_filter.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

#include "engine/query/filter_nodes.h"

namespace mayfly::engine {
namespace {

constexpr uint8_t kEncryptedSubtype = 6;
constexpr size_t kTypeOffset = 1 + 16;
// Kinds of values as they are stored: of the protocol's first version equality, range and not
// queryable; the same of the second; text.
constexpr std::array<uint8_t, 7> kStoredKinds = {6, 7, 9, 14, 15, 16, 17};

// A value that is there and not encrypted as it should be.
class PlainNode final : public PathNode {
 public:
  PlainNode(std::string_view path, std::optional<bson::Type> original)
      : PathNode(FilterKind::kSchema, path, LeafArray::kWhole), original_(original) {}

  void SerializeOperator(bson::Builder* out) const override {
    out->OpenArray("$_internalSchemaBinDataFLE2EncryptedType");
    if (original_.has_value()) out->PushInt32(static_cast<int8_t>(*original_));
    out->Close();
  }
  bool DependsOnCollation() const override { return false; }

 private:
  bool Test(bson::ValueView value, MatchContext&) const override {
    return !value.IsMissing() && !IsEncrypted(value);
  }

  bool IsEncrypted(bson::ValueView value) const {
    if (value.type() != bson::Type::kBinary) return false;
    const bson::Binary binary = value.AsBinary();
    if (binary.subtype != kEncryptedSubtype || binary.bytes.size() <= kTypeOffset) return false;
    const auto kind = static_cast<uint8_t>(binary.bytes.front());
    if (std::find(kStoredKinds.begin(), kStoredKinds.end(), kind) == kStoredKinds.end()) {
      return false;
    }
    const auto type = static_cast<bson::Type>(static_cast<uint8_t>(binary.bytes[kTypeOffset]));
    return !original_.has_value() || type == *original_;
  }

  std::optional<bson::Type> original_;
};

}  // namespace

FilterPtr MakeEncryptedOrMissing(std::string_view path, std::optional<bson::Type> original) {
  return MakeNot(std::make_unique<PlainNode>(path, original));
}

}  // namespace mayfly::engine
