// The state that the page asks for again and again: processes, the list of
// snapshots, tasks. Thread-safe.
#ifndef HEAPTALLY_INTEGRATION_VIEW_STATE_JSON_H_
#define HEAPTALLY_INTEGRATION_VIEW_STATE_JSON_H_

#include <ostream>

#include "integration/view/session.h"

namespace heaptally::view {

void WriteStateJson(Session& session, std::ostream& out);

}  // namespace heaptally::view

#endif  // HEAPTALLY_INTEGRATION_VIEW_STATE_JSON_H_
