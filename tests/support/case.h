// The smallest test framework that does not lean on the allocator under test:
// cases form a static list, and each runs in a child process of its own. One
// thread. Run a program with names of cases to run only those, in this process.
#ifndef HEAPTALLY_TESTS_SUPPORT_CASE_H_
#define HEAPTALLY_TESTS_SUPPORT_CASE_H_

#include <initializer_list>

#include "tests/support/check.h"

struct Case {
  Case(const char* case_name, void (*case_body)());

  const char* name;
  void (*body)();
  const Case* next;
};

#define CASE(name)                                \
  static void name();                             \
  static const Case case_of_##name(#name, &name); \
  static void name()

#endif  // HEAPTALLY_TESTS_SUPPORT_CASE_H_
