// The control socket of this process and the thread that serves it.
//
// The thread is made by the clone system call, not by the C library: it does
// not keep the process alive, does not make the program look threaded, blocks
// every signal, has a file table of its own (none of its descriptors is ever
// seen in the program) and no capabilities. It sleeps in poll() without a
// timeout while nobody is connected. It sees no thread-local storage but a
// block of zeroes.
#ifndef HEAPTALLY_INTEGRATION_CONTROL_SERVER_H_
#define HEAPTALLY_INTEGRATION_CONTROL_SERVER_H_

namespace heaptally {

// Opens the socket and returns when it can be connected to. At the start of
// the program, after LoadOptions(), and in a fork's child, on the thread that
// forked. Without option control=on it does nothing; when it cannot be done,
// one sentence goes to stderr and the program runs on.
void StartControlServer();

// Takes the socket's name away. When the program ends; safe at any time.
void RemoveControlSocket();

}  // namespace heaptally

#endif  // HEAPTALLY_INTEGRATION_CONTROL_SERVER_H_
