// tyer lock watch on a terminal.

#include <csignal>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cli/columns.h"
#include "support/locks.h"
#include "support/screen.h"

namespace tyer::testing {
namespace {

class LockWatch : public LockProgramTest {
 protected:
  LockWatch() {
    make_store();
    for (const char* const key :
         {"번역/아주-긴-이름의-작업", "a-task-with-a-rather-long-name-0001"}) {
      (void)tyer({"lock", "acquire", key, "--no-keeper", "--command", std::string(100, 'x'),
                  "--pid", std::to_string(agent.pid())});
    }
  }

  [[nodiscard]] ProgramCall watch(const Screen& screen) const {
    return shell(fmt::format("exec $TYER lock watch <{0} >{0} 2>&1", screen.path()));
  }

  // What is painted from the top of the screen to its end, line by line.
  static std::vector<std::string> next_painting(Screen& screen) {
    (void)screen.until("\x1b[H");
    std::string text = screen.until("\x1b[J");
    std::erase(text, '\r');
    std::vector<std::string> lines = split_lines(text);
    lines.pop_back();
    for (std::string& line : lines) {
      EXPECT_TRUE(line.starts_with("\x1b[K")) << line;
      line.erase(0, 3);
    }
    return lines;
  }

  static void expect_fits(const std::vector<std::string>& lines, std::size_t columns) {
    EXPECT_EQ(lines.size(), 3U);
    for (const std::string& line : lines) {
      EXPECT_LE(cli::display_width(line), columns) << line;
      EXPECT_GE(cli::display_width(line) + 1, columns) << line;
    }
  }

  Program agent{idle()};
};

TEST_F(LockWatch, PaintsItsLinesInPlaceAndNoWiderThanTheTerminal) {
  environment["TYER_COLOR"] = "never";
  for (const unsigned short columns : std::initializer_list<unsigned short>{80, 40}) {
    Screen screen(columns, 24);
    Program watching(watch(screen));

    for (int i = 0; i < 3; ++i) expect_fits(next_painting(screen), columns);

    screen.type("q");
    EXPECT_EQ(watching.finish().code, 0);
  }
}

TEST_F(LockWatch, FollowsTheSizeOfTheTerminal) {
  environment["TYER_COLOR"] = "never";
  Screen screen(80, 24);
  Program watching(watch(screen));
  expect_fits(next_painting(screen), 80);

  screen.resize(40, 24);
  watching.signal(SIGWINCH);

  while (cli::display_width(next_painting(screen).back()) > 40) {
  }
  screen.resize(80, 2);
  watching.signal(SIGWINCH);
  (void)screen.until("\x1b[K…");
}

TEST_F(LockWatch, LeavesTheTerminalAsItWas) {
  for (const int way : {0, SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    Screen screen(80, 24);
    Program watching(watch(screen));
    (void)screen.until("\x1b[?1049h");
    (void)next_painting(screen);
    EXPECT_FALSE(screen.is_plain());

    way == 0 ? screen.type("xq") : watching.signal(way);

    EXPECT_EQ(watching.finish().code, 0) << way;
    (void)screen.until("\x1b[?1049l");
    EXPECT_TRUE(screen.is_plain()) << way;
  }
}

TEST_F(LockWatch, GivesTheTerminalBackWhileItIsStopped) {
  Screen screen(80, 24);
  const Program bash(shell(fmt::format(
      "exec setsid --wait --ctty bash --norc --noprofile -i <{0} >{0} 2>&1", screen.path())));
  screen.type("$TYER lock watch\n");
  (void)next_painting(screen);

  screen.type("\x1a");

  (void)screen.until("\x1b[?1049l");
  (void)screen.until("Stopped");
  screen.type("fg\n");
  (void)screen.until("\x1b[?1049h");
  (void)next_painting(screen);
  screen.type("q");
  (void)screen.until("\x1b[?1049l");
  screen.type("echo code$((0))=$?\n");
  (void)screen.until("code0=0");
}

}  // namespace
}  // namespace tyer::testing
