// The processor that we run on, and leaving it to whom we have woken.
//
// The kernel likes to run whom we send something where we run, as if we were about to wait. In a
// virtual machine it does so even if all other processors are idle: one that is halted looks to it
// like one that the host has taken away. If we go on, one of us waits for the other. So whoever was
// sent something goes elsewhere at once, and who has sent it lets it. Only if hardly anybody else
// wants to run: on a machine with much to do the kernel knows better.

#pragma once

#include <sched.h>

#include <optional>

namespace tyer::env {

// Whether hardly anybody on the whole machine wants to run now but we. False if it cannot be known.
[[nodiscard]] bool is_quiet();

void give_way();    // To whoever waits for this processor, if it is quiet.
void step_aside();  // Goes on on another processor, if there is one.

// From now on the calling thread, when it is woken, comes before others who have had a processor
// for a while, as far as the kernel knows how (Linux 6.12). It gets no more time than they do, and
// whom it starts is as anybody.
void be_prompt();

// Whether what can be read at this connection was sent from this processor, by a process of this
// machine.
[[nodiscard]] bool was_sent_from_here(int socket);

// The calling thread, and whom it starts meanwhile, do not push others aside when they are woken.
class Patient {
 public:
  Patient();
  ~Patient();
  Patient(const Patient&) = delete;
  Patient& operator=(const Patient&) = delete;

  // One that was started meanwhile is as we were before.
  void release(int pid) const;

 private:
  const bool is_new_;
};

// The calling thread, and whom it starts meanwhile, stay on this processor until it ends.
class OnOneProcessor {
 public:
  OnOneProcessor();
  ~OnOneProcessor();
  OnOneProcessor(const OnOneProcessor&) = delete;
  OnOneProcessor& operator=(const OnOneProcessor&) = delete;

  // We, or one that was started meanwhile, may go wherever we could before.
  void release(int pid = 0) const;

 private:
  const std::optional<cpu_set_t> before_;
};

}  // namespace tyer::env
