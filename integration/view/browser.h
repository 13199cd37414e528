// Opens an address in the user's browser. Reads the environment; thread-safe.
#ifndef HEAPTALLY_INTEGRATION_VIEW_BROWSER_H_
#define HEAPTALLY_INTEGRATION_VIEW_BROWSER_H_

#include <string>

namespace heaptally::view {

// Whether there is a screen and a program that knows the browser.
bool CanOpenBrowser();
// False if it could not be started. Does not wait for it.
bool OpenBrowser(const std::string& address);

}  // namespace heaptally::view

#endif  // HEAPTALLY_INTEGRATION_VIEW_BROWSER_H_
