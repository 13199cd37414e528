// One HTTP/1.1 connection, served until it ends. Blocking; one thread for each
// connection. No exception leaves it.
#ifndef HEAPTALLY_INTEGRATION_VIEW_HTTP_CONNECTION_H_
#define HEAPTALLY_INTEGRATION_VIEW_HTTP_CONNECTION_H_

#include "integration/view/http_message.h"

namespace heaptally::view {

// Answers the requests that arrive on `socket`; returns when the other side or
// a time limit has ended it. Does not close the socket.
void ServeConnection(int socket, HttpHandler& handler);

}  // namespace heaptally::view

#endif  // HEAPTALLY_INTEGRATION_VIEW_HTTP_CONNECTION_H_
