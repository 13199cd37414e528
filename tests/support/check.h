// Checks for small programs that run under an allocator: they allocate
// nothing, use no stdio and are safe in threads and signal handlers. C and C++.
#ifndef HEAPTALLY_TESTS_SUPPORT_CHECK_H_
#define HEAPTALLY_TESTS_SUPPORT_CHECK_H_

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The exit status of a program that found its allocator wrong.
#define CHECK_FAILED_STATUS 70

static inline void WriteText(int fd, const char* text) {
  ssize_t written = write(fd, text, strlen(text));
  (void)written;
}

static inline void WriteNumber(int fd, unsigned long long number) {
  char digits[24];
  char* begin = digits + sizeof digits;
  *--begin = '\0';
  do {
    *--begin = (char)('0' + number % 10);
    number /= 10;
  } while (number != 0);
  WriteText(fd, begin);
}

__attribute__((noreturn, unused)) static void FailCheck(
    const char* file, int line, const char* condition, unsigned long long left,
    unsigned long long right) {
  WriteText(2, file);
  WriteText(2, ":");
  WriteNumber(2, (unsigned long long)line);
  WriteText(2, ": ");
  WriteText(2, condition);
  WriteText(2, " does not hold: left ");
  WriteNumber(2, left);
  WriteText(2, ", right ");
  WriteNumber(2, right);
  WriteText(2, "\n");
  _exit(CHECK_FAILED_STATUS);
}

// The two sides are printed as unsigned numbers; pointers need a cast.
#define CHECK_OP(left, op, right)                                          \
  do {                                                                     \
    unsigned long long check_left_ = (unsigned long long)(left);           \
    unsigned long long check_right_ = (unsigned long long)(right);         \
    if (!(check_left_ op check_right_)) {                                  \
      FailCheck(__FILE__, __LINE__, #left " " #op " " #right, check_left_, \
                check_right_);                                             \
    }                                                                      \
  } while (0)
#define CHECK_EQ(left, right) CHECK_OP(left, ==, right)
#define CHECK_NE(left, right) CHECK_OP(left, !=, right)
#define CHECK_GE(left, right) CHECK_OP(left, >=, right)
#define CHECK_LE(left, right) CHECK_OP(left, <=, right)
#define CHECK(condition)                               \
  do {                                                 \
    if (!(condition)) {                                \
      FailCheck(__FILE__, __LINE__, #condition, 0, 1); \
    }                                                  \
  } while (0)

// Which allocator answers: the name that the runner of the test has set.
static inline int UnderHeaptally(void) {
  const char* name = getenv("ALLOCATOR_UNDER_TEST");
  return name != NULL && strcmp(name, "heaptally") == 0;
}

// Hides where a pointer comes from, so that no compiler removes an
// allocation or reasons about what it can point at.
static inline void* Keep(const void* pointer) {
  void* hidden = (void*)(uintptr_t)pointer;
  __asm__ volatile("" : "+r"(hidden) : : "memory");
  return hidden;
}

// Hides a number in the same way.
static inline size_t KeepSize(size_t size) {
  __asm__ volatile("" : "+r"(size));
  return size;
}

// A block's pattern, by which damage is found.
static inline void Fill(void* block, size_t size, unsigned seed) {
  unsigned char* bytes = (unsigned char*)block;
  for (size_t i = 0; i < size; ++i) {
    bytes[i] = (unsigned char)(seed + i * 7);
  }
}

static inline int IsFilled(const void* block, size_t size, unsigned seed) {
  const unsigned char* bytes = (const unsigned char*)block;
  for (size_t i = 0; i < size; ++i) {
    if (bytes[i] != (unsigned char)(seed + i * 7)) {
      return 0;
    }
  }
  return 1;
}

#endif  // HEAPTALLY_TESTS_SUPPORT_CHECK_H_
