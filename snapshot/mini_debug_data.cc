#include "snapshot/mini_debug_data.h"

#include <lzma.h>

#include <utility>

namespace heaptally {
namespace {

constexpr size_t kLargestImage = size_t{256} << 20;

// Empty if `packed` is not a whole xz stream of at most kLargestImage.
std::vector<char> UnpackXz(std::span<const char> packed) {
  lzma_stream stream = LZMA_STREAM_INIT;
  if (lzma_stream_decoder(&stream, kLargestImage, 0) != LZMA_OK) return {};
  stream.next_in = reinterpret_cast<const uint8_t*>(packed.data());
  stream.avail_in = packed.size();
  std::vector<char> image;
  lzma_ret state = LZMA_OK;
  while (state == LZMA_OK && image.size() < kLargestImage) {
    size_t done = image.size();
    image.resize(done + 4 * packed.size() + 4096);
    stream.next_out = reinterpret_cast<uint8_t*>(image.data() + done);
    stream.avail_out = image.size() - done;
    state = lzma_code(&stream, LZMA_FINISH);
    image.resize(image.size() - stream.avail_out);
  }
  lzma_end(&stream);
  if (state != LZMA_STREAM_END) image.clear();
  return image;
}

}  // namespace

std::unique_ptr<ElfFile> OpenMiniDebugData(const ElfFile& file) {
  std::span<const char> packed = file.SectionBytes(".gnu_debugdata");
  if (packed.empty()) return nullptr;
  std::vector<char> image = UnpackXz(packed);
  if (image.empty()) return nullptr;
  return ElfFile::FromImage(std::move(image), file.path() + "[.gnu_debugdata]");
}

}  // namespace heaptally
