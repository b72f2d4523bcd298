#include "engine/collection/content_hash.h"

#include <openssl/evp.h>

#include <array>
#include <memory>
#include <string_view>

#include "base/status.h"
#include "engine/catalog/record.h"
#include "engine/index/index_keys.h"

namespace mayfly::engine {
namespace {

class Md5 {
 public:
  Md5() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    EVP_DigestInit_ex(context_.get(), EVP_md5(), nullptr);
  }
  void Add(std::string_view bytes) { EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()); }
  std::string Finish() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
    unsigned int size = 0;
    EVP_DigestFinal_ex(context_.get(), digest.data(), &size);
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    for (unsigned int i = 0; i < size; ++i) {
      text.push_back(kDigits[digest[i] >> 4]);
      text.push_back(kDigits[digest[i] & 15]);
    }
    return text;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

}  // namespace

absl::StatusOr<std::string> HashContents(Transaction& transaction, const EvaluationContext& context,
                                         const Collection& collection) {
  Md5 md5;
  const Index& index = collection.id_index();
  auto cursor = transaction.NewKeyCursor(index.space, Direction::kForward);
  while (true) {
    if (context.interrupt != nullptr) MAYFLY_RETURN_IF_ERROR(context.interrupt->Check());
    if (transaction.ShouldYield()) {
      MAYFLY_RETURN_IF_ERROR(transaction.Yield());
      if (collection.dropped()) {
        return base::Error(base::ErrorCode::kNamespaceNotFound,
                           "collection dropped during hashing");
      }
    }
    MAYFLY_ASSIGN_OR_RETURN(const bool more, cursor->Next());
    if (!more) return md5.Finish();
    const RecordId id = ParseEntry(index, cursor->key(), cursor->value()).id;
    MAYFLY_ASSIGN_OR_RETURN(const auto bytes,
                            transaction.GetRecord(collection.state().records, id));
    if (!bytes.has_value()) continue;
    const RecordView record = ReadRecord(*bytes);
    if (record.header.IsExpired(collection.last_write_rule(), context.now_ms)) continue;
    md5.Add({reinterpret_cast<const char*>(record.document.data()),
             static_cast<size_t>(record.document.size())});
  }
}

std::string HashText(std::string_view text) {
  Md5 md5;
  md5.Add(text);
  return md5.Finish();
}

}  // namespace mayfly::engine
