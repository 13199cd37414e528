// Threads that the C library starts by itself: timers, asynchronous reads and
// message notifications.
#include <aio.h>
#include <fcntl.h>
#include <signal.h>
#include <time.h>

#include "tests/support/threads.h"

namespace {

std::atomic<int> fired{0};

void Fired(sigval) {
  Churn churn(1);
  churn.Steps(100);
  ++fired;
}

void RunTimer() {
  sigevent event = {};
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_notify_function = Fired;
  timer_t timer;
  CHECK_EQ(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
  itimerspec every = {{0, 2000000}, {0, 2000000}};
  CHECK_EQ(timer_settime(timer, 0, &every, nullptr), 0);
  Churn churn(2);
  while (fired < 50) {
    churn.Steps(100);
  }
  CHECK_EQ(timer_delete(timer), 0);
}

void ReadAsynchronously() {
  int fd = open("/proc/self/exe", O_RDONLY);
  for (int i = 0; i < 20; ++i) {
    void* buffer = malloc(4096);
    aiocb request = {};
    request.aio_fildes = fd;
    request.aio_buf = buffer;
    request.aio_nbytes = 4096;
    CHECK_EQ(aio_read(&request), 0);
    const aiocb* requests[] = {&request};
    CHECK_EQ(aio_suspend(requests, 1, nullptr), 0);
    CHECK_EQ(aio_return(&request), 4096);
    free(buffer);
  }
  close(fd);
}

}  // namespace

int main() {
  RunTimer();
  ReadAsynchronously();
  WriteText(1, "ok\n");
}
