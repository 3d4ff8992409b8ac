#include "http/loop.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

namespace tyer::http {

namespace asio = boost::asio;

struct Loop::Inside {
  asio::io_context io{1};  // One thread runs it.
  asio::executor_work_guard<asio::io_context::executor_type> work{io.get_executor()};
};

struct Watched::Inside {
  asio::posix::stream_descriptor descriptor;
};

Loop::Loop() : inside_(std::make_unique<Inside>()) {}
Loop::~Loop() = default;

void Loop::run() {
  inside_->io.run();
}

void Loop::stop() {
  // Behind what was posted before.
  post([this] { inside_->io.stop(); });
}

void Loop::post(std::move_only_function<void()> task) {
  asio::post(inside_->io, std::move(task));
}

void Loop::after(Span span, std::function<void()> task) {
  auto timer = std::make_shared<asio::steady_timer>(inside_->io);
  timer->expires_after(span);
  timer->async_wait([timer, task = std::move(task)](const boost::system::error_code& error) {
    if (!error) task();
  });
}

Watched::Watched(Loop& loop, int fd)
    : inside_(new Inside{asio::posix::stream_descriptor(loop.inside_->io, fd)}) {}
Watched::~Watched() = default;

void Watched::wait(Side side, std::shared_ptr<Waiter> waiter) {
  using Base = asio::posix::descriptor_base;
  inside_->descriptor.async_wait(
      side == Side::read ? Base::wait_read : Base::wait_write,
      [side, waiter = std::move(waiter)](const boost::system::error_code& error) {
        // Any other error shows when it is read or written.
        if (error != asio::error::operation_aborted) waiter->on_ready(side);
      });
}

void Watched::close() {
  boost::system::error_code ignored;
  inside_->descriptor.close(ignored);
}

}  // namespace tyer::http
