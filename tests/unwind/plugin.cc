// A library to load and unload. Built twice: the functions lie at the same
// offsets in both but keep their frames differently.
#include <cstddef>

#ifdef HEAPTALLY_LARGE_FRAMES
#define FRAME "168"
#else
#define FRAME "40"
#endif

// Both immediates take four bytes.
#define ENTRY(name)                                       \
  extern "C" void name(void (*callback)());               \
  asm(".text\n.balign 64\n.globl " #name "\n.type " #name \
      ", @function\n" #name                               \
      ":\n"                                               \
      ".cfi_startproc\n"                                  \
      ".byte 0x48, 0x81, 0xec\n.long " FRAME              \
      "\n"                                                \
      ".cfi_adjust_cfa_offset " FRAME                     \
      "\n"                                                \
      "call *%rdi\n"                                      \
      ".byte 0x48, 0x81, 0xc4\n.long " FRAME              \
      "\n"                                                \
      ".cfi_adjust_cfa_offset -" FRAME                    \
      "\n"                                                \
      "ret\n.cfi_endproc\n.size " #name ", . - " #name "\n")

ENTRY(PluginEntry);
ENTRY(PluginSecondEntry);

extern "C" void (*plugin_on_unload)();
__attribute__((visibility("default"))) void (*plugin_on_unload)() = nullptr;

namespace {
__attribute__((destructor)) void Unload() {
  if (plugin_on_unload != nullptr) plugin_on_unload();
}
}  // namespace
