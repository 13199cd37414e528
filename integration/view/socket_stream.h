// A connected socket as Boost.Beast's blocking functions want it, with a point
// in time after which reading and writing fail. One thread at a time.
#ifndef HEAPTALLY_INTEGRATION_VIEW_SOCKET_STREAM_H_
#define HEAPTALLY_INTEGRATION_VIEW_SOCKET_STREAM_H_

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/system/error_code.hpp>
#include <boost/system/system_error.hpp>
#include <chrono>
#include <cstddef>

namespace heaptally::view {

class SocketStream {
 public:
  using Clock = std::chrono::steady_clock;

  explicit SocketStream(int fd) : fd_(fd) {}

  void ExpireAfter(Clock::duration time) { deadline_ = Clock::now() + time; }

  template <typename Buffers>
  size_t read_some(const Buffers& buffers, boost::system::error_code& error) {
    return Transfer(buffers, POLLIN, error, [this](auto* data, size_t size) {
      return recv(fd_, data, size, MSG_DONTWAIT);
    });
  }

  template <typename Buffers>
  size_t write_some(const Buffers& buffers, boost::system::error_code& error) {
    return Transfer(buffers, POLLOUT, error, [this](auto* data, size_t size) {
      return send(fd_, data, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    });
  }

  // The forms that throw; Beast asks for them and calls none.
  template <typename Buffers>
  size_t read_some(const Buffers& buffers) {
    return OrThrow([&](auto& error) { return read_some(buffers, error); });
  }
  template <typename Buffers>
  size_t write_some(const Buffers& buffers) {
    return OrThrow([&](auto& error) { return write_some(buffers, error); });
  }

 private:
  template <typename Buffers, typename Call>
  size_t Transfer(const Buffers& buffers, short event,
                  boost::system::error_code& error, Call call) {
    error = {};
    const auto end = boost::asio::buffer_sequence_end(buffers);
    for (auto at = boost::asio::buffer_sequence_begin(buffers); at != end;
         ++at) {
      auto buffer = *at;
      if (buffer.size() == 0) continue;
      for (;;) {
        const ssize_t n = call(buffer.data(), buffer.size());
        if (n > 0) return static_cast<size_t>(n);
        if (n == 0) {
          error = boost::asio::error::eof;
          return 0;
        }
        if (errno == EAGAIN || errno == EWOULDBLOCK) {
          if (!Wait(event, error)) return 0;
        } else if (errno != EINTR) {
          error.assign(errno, boost::system::system_category());
          return 0;
        }
      }
    }
    return 0;
  }

  bool Wait(short event, boost::system::error_code& error) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline_ - Clock::now());
    pollfd wait = {fd_, event, 0};
    if (left.count() > 0 &&
        (poll(&wait, 1, static_cast<int>(left.count())) > 0 ||
         errno == EINTR)) {
      return true;
    }
    error = boost::asio::error::timed_out;
    return false;
  }

  template <typename Call>
  size_t OrThrow(Call call) {
    boost::system::error_code error;
    const size_t n = call(error);
    if (error) throw boost::system::system_error(error);
    return n;
  }

  const int fd_;
  Clock::time_point deadline_;
};

}  // namespace heaptally::view

#endif  // HEAPTALLY_INTEGRATION_VIEW_SOCKET_STREAM_H_
