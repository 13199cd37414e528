#include "tests/model/control_client.h"

#include <sys/socket.h>
#include <sys/un.h>

#include "tests/support/check.h"

namespace model {
namespace {

int connection = -1;

void Append(char* to, const char* text, size_t capacity) {
  CHECK(strlen(to) + strlen(text) < capacity);
  strcat(to, text);
}

void AppendNumber(char* to, unsigned number, size_t capacity) {
  char digits[16] = {};
  int at = 15;
  do {
    digits[--at] = char('0' + number % 10);
    number /= 10;
  } while (number != 0);
  Append(to, digits + at, capacity);
}

void Send(const char* request, int fd) {
  iovec part = {const_cast<char*>(request), strlen(request)};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (fd >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &fd, sizeof fd);
  }
  CHECK_EQ(sendmsg(connection, &message, 0), strlen(request));
}

}  // namespace

void ConnectTo(const char* directory) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  Append(address.sun_path, directory, sizeof address.sun_path);
  Append(address.sun_path, "/", sizeof address.sun_path);
  AppendNumber(address.sun_path, unsigned(getpid()), sizeof address.sun_path);
  Append(address.sun_path, ".sock", sizeof address.sun_path);
  connection = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  for (int tries = 0; tries < 500; ++tries) {
    if (connect(connection, reinterpret_cast<sockaddr*>(&address),
                sizeof address) == 0) {
      return;
    }
    usleep(10000);
  }
  WriteText(2, "no control socket at ");
  WriteText(2, address.sun_path);
  WriteText(2, "\n");
  _exit(CHECK_FAILED_STATUS);
}

void Ask(const char* request, int fd) {
  Send(request, fd);
  static char reply[64 << 10];
  do {
    ssize_t size = recv(connection, reply, sizeof reply - 1, 0);
    CHECK(size > 0);
    reply[size] = '\0';
  } while (strncmp(reply, "progress", 8) == 0);
  if (strncmp(reply, "ok", 2) != 0) {
    WriteText(2, reply);
  }
  CHECK_EQ(strncmp(reply, "ok", 2), 0);
}

}  // namespace model
