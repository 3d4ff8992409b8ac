#include "run/ending.h"

#include <fmt/format.h>

#include "base/text.h"

namespace tyer::run {

using backend::Verdict;

core::Outcome outcome_of(Verdict verdict, const env::Exit& exit) {
  switch (verdict) {
    case Verdict::done:
    case Verdict::hindered: return core::Outcome::succeeded;
    case Verdict::stopped: return core::Outcome::stopped;
    case Verdict::timed_out: return core::Outcome::timed_out;
    default: return exit.signal != 0 ? core::Outcome::signalled : core::Outcome::failed;
  }
}

backend::Ending::Cut to_ending(std::optional<Cut> cut) {
  using Kind = backend::Ending::Cut;
  if (!cut) return Kind::no;
  switch (*cut) {
    case Cut::wall:
    case Cut::idle:
    case Cut::output: return Kind::time_limit;
    case Cut::hopeless: return Kind::hopeless;
    case Cut::asked:
    case Cut::lost:
    case Cut::front_gone: break;
  }
  return Kind::asked;
}

void explain(const Job& job, std::optional<Cut> cut, backend::Report& report) {
  const bool was_cut = report.verdict == Verdict::stopped || report.verdict == Verdict::timed_out;
  if (!cut || !was_cut) return;
  switch (*cut) {
    case Cut::wall:
      report.why =
          fmt::format("it was ended after {}, its time limit", describe_span(job.bounds.wall));
      break;
    case Cut::idle:
      report.why = fmt::format("it said nothing for {}", describe_span(job.bounds.idle));
      break;
    case Cut::output:
      report.verdict = Verdict::limit;
      report.why = fmt::format("it wrote more than {} MiB", job.bounds.output >> 20);
      break;
    case Cut::lost: report.why = "its lease was lost"; break;
    case Cut::front_gone:
      report.verdict = Verdict::interrupted;
      report.why = "the process above its keeper was killed";
      break;
    case Cut::asked:
    case Cut::hopeless: break;
  }
}

}  // namespace tyer::run
