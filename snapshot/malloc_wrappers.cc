#include "snapshot/malloc_wrappers.h"

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_split.h"

namespace heaptally {
namespace {

constexpr absl::string_view kNames =
    // GNU programs, git
    "xmalloc xcalloc xrealloc xmallocz xstrdup xmemdup xmemdupz xstrndup "
    "x2realloc x2nrealloc xzalloc xnmalloc xreallocarray xpalloc ximalloc "
    "xizalloc do_xmalloc "
    // redis
    "zmalloc zcalloc zrealloc zmalloc_usable zcalloc_usable zrealloc_usable "
    "ztrymalloc ztrycalloc ztryrealloc ztrymalloc_usable ztrycalloc_usable "
    "ztryrealloc_usable ztrymalloc_usable_internal "
    "ztrycalloc_usable_internal ztryrealloc_usable_internal zcalloc_num "
    "zstrdup "
    // GLib
    "g_malloc g_malloc0 g_malloc_n g_malloc0_n g_realloc g_realloc_n "
    "g_try_malloc g_try_malloc0 g_try_realloc g_strdup g_strndup g_memdup2 "
    "g_slice_alloc g_slice_alloc0 "
    // OpenSSL, SQLite, nginx, FFmpeg, libxml2
    "CRYPTO_malloc CRYPTO_zalloc CRYPTO_realloc CRYPTO_strdup CRYPTO_memdup "
    "sqlite3Malloc sqlite3MemMalloc sqlite3MemRealloc sqlite3_malloc "
    "sqlite3_malloc64 sqlite3Realloc sqlite3DbMallocRaw "
    "sqlite3DbMallocRawNN sqlite3DbMallocZero mallocWithAlarm "
    "dbMallocRawFinish ngx_alloc ngx_calloc ngx_memalign av_malloc "
    "av_mallocz av_realloc xmlMalloc "
    // Python
    "_PyMem_RawMalloc _PyMem_RawCalloc _PyMem_RawRealloc PyMem_RawMalloc "
    "PyMem_RawCalloc PyMem_RawRealloc PyMem_Malloc PyMem_Calloc "
    "PyMem_Realloc PyObject_Malloc PyObject_Calloc PyObject_Realloc "
    "_PyObject_Malloc _PyObject_Calloc _PyObject_Realloc PyMem_RawStrdup "
    "_PyMem_Strdup "
    // The C library
    "strdup __strdup __GI___strdup strndup __strndup __GI___strndup "
    "reallocarray __libc_reallocarray ";

}  // namespace

bool IsMallocWrapper(absl::string_view function) {
  static const auto& names = *new absl::flat_hash_set<absl::string_view>(
      absl::StrSplit(kNames, ' ', absl::SkipEmpty()));
  return names.contains(function.substr(0, function.find_first_of(".(@")));
}

}  // namespace heaptally
