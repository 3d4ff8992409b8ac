// What a run needs to be started, made from what a hub says of it.

#pragma once

#include <memory>
#include <optional>
#include <string>

#include "run/ready.h"
#include "work/assignment.h"
#include "work/order.h"
#include "work/shift.h"

namespace tyer::work {

// A run that was announced, with its agent as far as it can be started before it has begun.
struct Expected {
  Assignment given;  // But for what there is to do.
  run::Job job;      // But for its prompt.
  std::unique_ptr<run::Ready> ready;
};

class Outfit {
 public:
  Outfit(const Serving& serving, const Order& order);

  // Whatever can be done before it is known what for.
  void get_ready();
  // What every run is told; empty if that is not known yet.
  [[nodiscard]] std::string instructions() const;

  [[nodiscard]] Result<run::Job> make_job(const Assignment& given);
  [[nodiscard]] backend::Environment environment_for(const Assignment& given) const;
  [[nodiscard]] std::string prompt_for(const Assignment& given) const;

  // Nothing: more has to be known for that.
  [[nodiscard]] std::optional<Expected> expect(Assignment given);

 private:
  struct Skill {
    std::string id;
    std::string text;
  };
  [[nodiscard]] Result<Skill> fetch_skill() const;

  // What an agent that can be started before its run has begun is started with.
  struct Calling {
    run::Job job;
    run::Plan plan;
  };
  [[nodiscard]] std::optional<Calling> make_call(const Assignment& given);

  const Serving& serving_;
  env::Env& env_;
  const std::string hub_;
  const run::Job job_;  // Of none yet.
  Skill skill_;
  std::optional<run::Pipes> pipes_;
};

}  // namespace tyer::work
