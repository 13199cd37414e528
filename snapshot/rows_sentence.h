// What a table says, in one sentence. Thread-safe.
#ifndef HEAPTALLY_SNAPSHOT_ROWS_SENTENCE_H_
#define HEAPTALLY_SNAPSHOT_ROWS_SENTENCE_H_

#include <string>

#include "snapshot/row_table.h"

namespace heaptally {

// "48.2 MiB in 21,003 blocks; most of it, 31.0 MiB, from createObject,
// object.c:41", or of a pair "+36.1 MiB, +9,806 blocks; …".
std::string RowsSentence(const RowTable& table);

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_ROWS_SENTENCE_H_
