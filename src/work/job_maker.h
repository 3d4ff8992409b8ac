// Makes the job of a run from what the hub says of it.

#pragma once

#include <string>

#include "run/job.h"
#include "work/assignment.h"
#include "work/order.h"
#include "work/shift.h"

namespace tyer::work {

class JobMaker {
 public:
  JobMaker(const Serving& serving, const Order& order);

  // Fetches the hub's instructions for agents, which take a while, before there is a run.
  void prepare();

  [[nodiscard]] Result<run::Job> make_job(const Assignment& given);
  // What the run's agent is started with.
  [[nodiscard]] backend::Environment environment_for(const Assignment& given) const;

 private:
  struct Skill {
    std::string id;
    std::string text;
  };
  [[nodiscard]] Result<Skill> fetch_skill() const;
  [[nodiscard]] std::string prompt_for(const Assignment& given) const;

  const Serving& serving_;
  env::Env& env_;
  const std::string hub_;
  const run::Job job_;  // Of none yet.
  Skill skill_;
};

}  // namespace tyer::work
