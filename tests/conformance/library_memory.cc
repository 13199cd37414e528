// Memory that the C library allocates and the caller frees, and structures
// that the C library allocates and frees itself.
#include <dirent.h>
#include <execinfo.h>
#include <glob.h>
#include <iconv.h>
#include <locale.h>
#include <malloc.h>
#include <regex.h>
#include <search.h>
#include <stdio.h>
#include <time.h>
#include <wchar.h>

#include <cstdlib>

#include "tests/support/case.h"

namespace {

// A block from a library function must be one of this allocator's.
void FreeOwn(void* block, size_t at_least) {
  CHECK(block != nullptr);
  CHECK_GE(malloc_usable_size(block), at_least);
  CHECK_EQ(reinterpret_cast<uintptr_t>(block) % 16, 0);
  free(Keep(block));
}

CASE(Strdup_GivesAFreeableBlock) {
  FreeOwn(strdup("a string that is long enough"), 29);
  FreeOwn(strndup("a string", 3), 4);
  FreeOwn(wcsdup(L"wide"), 5 * sizeof(wchar_t));
}

CASE(Asprintf_GivesAFreeableBlock) {
  char* text = nullptr;
  CHECK_EQ(asprintf(&text, "%05000d", 1), 5000);
  FreeOwn(text, 5001);
}

CASE(Getline_GrowsAndGivesAFreeableBlock) {
  char source[5000];
  memset(source, 'x', sizeof source);
  source[10] = '\n';
  source[4998] = '\n';
  FILE* file = fmemopen(source, sizeof source - 1, "r");
  char* line = static_cast<char*>(malloc(1));
  size_t size = 1;
  CHECK_EQ(getline(&line, &size, file), 11);
  CHECK_EQ(getline(&line, &size, file), 4988);
  CHECK_GE(malloc_usable_size(line), size);
  FreeOwn(line, 4989);
  fclose(file);
}

CASE(OpenMemstream_GivesAFreeableBlock) {
  char* text = nullptr;
  size_t size = 0;
  FILE* file = open_memstream(&text, &size);
  for (int i = 0; i < 10000; ++i) {
    fprintf(file, "%d ", i);
  }
  fclose(file);
  CHECK_EQ(strlen(text), size);
  FreeOwn(text, size);
}

CASE(Scandir_GivesFreeableEntries) {
  dirent** entries = nullptr;
  int count = scandir("/etc", &entries, nullptr, alphasort);
  CHECK(count > 2);
  for (int i = 0; i < count; ++i) {
    FreeOwn(entries[i], 20);
  }
  FreeOwn(entries, count * sizeof(dirent*));
}

CASE(BacktraceSymbols_GivesAFreeableBlock) {
  void* frames[20];
  int count = backtrace(frames, 20);
  CHECK(count > 2);
  FreeOwn(backtrace_symbols(frames, count), count * sizeof(char*));
}

CASE(PathsAndNames_AreFreeable) {
  FreeOwn(getcwd(nullptr, 0), 2);
  FreeOwn(realpath("/usr/../etc", nullptr), 5);
  FreeOwn(canonicalize_file_name("/usr/bin/.."), 5);
}

CASE(Scanf_AllocatesWithTheMModifier) {
  char* word = nullptr;
  CHECK_EQ(sscanf("heaptally 1", "%ms", &word), 1);
  FreeOwn(word, 10);
}

int Compare(const void* left, const void* right) {
  return static_cast<int>(reinterpret_cast<intptr_t>(left) -
                          reinterpret_cast<intptr_t>(right));
}

CASE(Tsearch_NodesAreFreed) {
  void* root = nullptr;
  for (intptr_t i = 1; i < 2000; ++i) {
    CHECK(tsearch(reinterpret_cast<void*>(i * 7 % 2003), &root, Compare) !=
          nullptr);
  }
  tdestroy(root, [](void*) {});
}

CASE(RegexGlobIconvAndLocale_FreeTheirOwn) {
  for (int i = 0; i < 20; ++i) {
    regex_t expression;
    CHECK_EQ(regcomp(&expression, "a(b|c)*[d-f]{2,7}", REG_EXTENDED), 0);
    CHECK_EQ(regexec(&expression, "abcbcdef", 0, nullptr, 0), 0);
    regfree(&expression);
    glob_t paths;
    CHECK_EQ(glob("/etc/*", 0, nullptr, &paths), 0);
    globfree(&paths);
    iconv_t converter = iconv_open("UTF-16", "UTF-8");
    CHECK(converter != reinterpret_cast<iconv_t>(-1));
    iconv_close(converter);
    locale_t locale = newlocale(LC_ALL_MASK, "C.UTF-8", nullptr);
    CHECK(locale != nullptr);
    freelocale(locale);
  }
}

CASE(EnvironmentAndTimezone_FreeTheirOwn) {
  for (int i = 0; i < 200; ++i) {
    char value[200];
    snprintf(value, sizeof value, "UTC%d", i % 12);
    CHECK_EQ(setenv("TZ", value, 1), 0);
    tzset();
  }
  CHECK_EQ(unsetenv("TZ"), 0);
}

CASE(Stdio_BuffersAreFreed) {
  for (int i = 0; i < 300; ++i) {
    FILE* file = fopen("/etc/passwd", "r");
    CHECK(file != nullptr);
    CHECK(fgetc(file) != EOF);
    fclose(file);
    FILE* pipe = i % 100 == 0 ? popen("true", "r") : nullptr;
    if (pipe != nullptr) {
      pclose(pipe);
    }
  }
}

CASE(Qsort_OfLargeArraysUsesMemoryAndReturnsIt) {
  auto* numbers = static_cast<int*>(malloc(200000 * sizeof(int)));
  for (int i = 0; i < 200000; ++i) {
    numbers[i] = i * 7919 % 200003;
  }
  qsort(numbers, 200000, sizeof(int), [](const void* left, const void* right) {
    return *static_cast<const int*>(left) - *static_cast<const int*>(right);
  });
  CHECK(numbers[0] <= numbers[1] && numbers[100] <= numbers[199999]);
  free(numbers);
}

}  // namespace
