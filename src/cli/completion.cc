#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/json.h"
#include "cli/commands.h"
#include "cli/help.h"

namespace tyer::cli {
namespace {

using Text = std::string_view;

std::string replaced(Text text, Text from, Text to) {
  std::string result(text);
  for (std::size_t at = 0; (at = result.find(from, at)) != std::string::npos; at += to.size()) {
    result.replace(at, from.size(), to);
  }
  return result;
}

// In single quotes. A backslash needs care in fish only, and no text here has one.
std::string in_quotes(Text text) {
  return "'" + replaced(text, "'", "'\\''") + "'";
}

bool is_choice(Text value) {
  return value.contains('|');
}
std::string choices(Text value) {
  return replaced(value, "|", " ");
}

Text first_word(const Command& command) {
  return command.name.substr(0, command.name.find(' '));
}
Text second_word(const Command& command) {
  const std::size_t space = command.name.find(' ');
  return space == Text::npos ? Text{} : command.name.substr(space + 1);
}

struct Word {
  Text name;
  std::string summary;
};

// What may stand first, each once.
std::vector<Word> first_words() {
  std::vector<Word> words;
  for (const Command& command : commands()) {
    const Text name = first_word(command);
    if (std::ranges::find(words, name, &Word::name) != words.end()) continue;
    words.push_back({name, is_family(name) ? fmt::format("The commands of tyer {}", name)
                                           : std::string(command.summary)});
  }
  return words;
}

std::vector<const Command*> family(Text word) {
  std::vector<const Command*> members;
  for (const Command& command : commands()) {
    if (first_word(command) == word) members.push_back(&command);
  }
  return members;
}

std::vector<Option> all_options(const Command& command) {
  std::vector<Option> options(command.options.begin(), command.options.end());
  options.insert(options.end(), common_options().begin(), common_options().end());
  return options;
}

std::string bash_values() {
  std::set<std::string> lines;
  for (const Command& command : commands()) {
    for (const Option& option : all_options(command)) {
      if (is_choice(option.value)) {
        lines.insert(fmt::format("    {}) words='{}' ;;\n", option.name, choices(option.value)));
      } else if (option.value == "FILE") {
        lines.insert(fmt::format("    {}) files=yes ;;\n", option.name));
      } else if (!option.value.empty()) {
        lines.insert(fmt::format("    {}) return ;;\n", option.name));
      }
    }
  }
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

std::string bash_commands() {
  std::string text;
  for (const Command& command : commands()) {
    std::string words;
    for (const Option& option : all_options(command)) words += std::string(option.name) + " ";
    bool files = false;
    for (const Operand& operand : command.operands) {
      if (is_choice(operand.name)) words += choices(operand.name) + " ";
      files = files || operand.is_file;
    }
    words.pop_back();
    const std::string pattern = second_word(command).empty() ? fmt::format("'{} '*", command.name)
                                                             : fmt::format("'{}'", command.name);
    text += fmt::format("    {}) words='{}'{} ;;\n", pattern, words, files ? " files=yes" : "");
  }
  return text;
}

std::string bash_script() {
  std::string firsts;
  std::string families;
  for (const Word& word : first_words()) {
    firsts += std::string(word.name) + " ";
    if (!is_family(word.name)) continue;
    std::string seconds;
    for (const Command* command : family(word.name))
      seconds += std::string(second_word(*command)) + " ";
    seconds.pop_back();
    families += fmt::format("      {}) words='{}' ;;\n", word.name, seconds);
  }
  firsts.pop_back();
  return fmt::format(R"(# bash completion for tyer, made by 'tyer completion bash'
_tyer() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} words='' files=''
  COMPREPLY=()
  case ${{COMP_WORDS[COMP_CWORD-1]}} in
{}  esac
  if [[ -z $words && -z $files ]]; then
    case "${{COMP_WORDS[1]}} ${{COMP_WORDS[2]}}" in
{}    esac
    if (( COMP_CWORD == 1 )); then
      words='{}' files=''
    elif (( COMP_CWORD == 2 )); then
      case ${{COMP_WORDS[1]}} in
{}      esac
    fi
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [[ -n $files ]]; then
    local IFS=$'\n'
    COMPREPLY+=($(compgen -f -- "$current"))
    compopt -o filenames 2>/dev/null
  fi
}}
complete -F _tyer tyer
)",
                     bash_values(), replaced(bash_commands(), "    ", "      "), firsts,
                     replaced(families, "      ", "        "));
}

std::string zsh_arguments(const Command& command, Text indent) {
  std::string text = "_arguments";
  const auto add = [&](const std::string& spec) {
    text += fmt::format(" \\\n{}  {}", indent, in_quotes(spec));
  };
  for (const Option& option : all_options(command)) {
    const std::string help = replaced(option.help, ":", "\\:");
    std::string spec = fmt::format("{}[{}]", option.name, help);
    if (is_choice(option.value)) {
      spec += fmt::format(":value:({})", choices(option.value));
    } else if (!option.value.empty()) {
      spec += fmt::format(":{}:{}", option.value, option.value == "FILE" ? "_files" : "");
    }
    add(spec);
  }
  for (const Operand& operand : command.operands) {
    const std::string action = is_choice(operand.name) ? fmt::format("({})", choices(operand.name))
                               : operand.is_file       ? "_files"
                                                       : "";
    const Text label = is_choice(operand.name) ? Text("value") : operand.name;
    add(fmt::format("{}:{}:{}", operand.many ? "*" : "", label, action));
  }
  return text + "\n";
}

std::string zsh_words(Text indent, const std::vector<Word>& words) {
  std::string text = fmt::format("{}words_here=(\n", indent);
  for (const Word& word : words) {
    text +=
        fmt::format("{}  {}\n", indent, in_quotes(fmt::format("{}:{}", word.name, word.summary)));
  }
  return text + fmt::format("{}); _describe command words_here\n", indent);
}

std::string zsh_script() {
  std::string text = R"(#compdef tyer
# zsh completion for tyer, made by 'tyer completion zsh'
_tyer() {
  local -a words_here
  if (( CURRENT == 2 )); then
)" + zsh_words("    ", first_words()) +
                     R"(    return
  fi
  local word=$words[2]
  shift words; (( CURRENT-- ))
  case $word in
)";
  for (const Word& word : first_words()) {
    text += fmt::format("    {})\n", word.name);
    if (!is_family(word.name)) {
      text += "      " + zsh_arguments(*find_command(word.name), "      ") + "      ;;\n";
      continue;
    }
    std::vector<Word> seconds;
    for (const Command* command : family(word.name)) {
      seconds.push_back({second_word(*command), std::string(command->summary)});
    }
    text += "      if (( CURRENT == 2 )); then\n" + zsh_words("        ", seconds) +
            "        return\n      fi\n      word=$words[2]\n      shift words; (( CURRENT-- ))\n"
            "      case $word in\n";
    for (const Command* command : family(word.name)) {
      text += fmt::format("        {}) {}          ;;\n", second_word(*command),
                          zsh_arguments(*command, "          "));
    }
    text += "      esac\n      ;;\n";
  }
  return text + R"(  esac
}
if [[ $funcstack[1] == _tyer ]]; then _tyer "$@"; else compdef _tyer tyer; fi
)";
}

std::string fish_line(Text condition, Text rest) {
  return fmt::format("complete -c tyer -n {} {}\n", in_quotes(condition), rest);
}

std::string fish_script() {
  std::string text =
      "# fish completion for tyer, made by 'tyer completion fish'\ncomplete -c tyer -f\n";
  for (const Word& word : first_words()) {
    text += fish_line("__fish_use_subcommand",
                      fmt::format("-a {} -d {}", word.name, in_quotes(word.summary)));
  }
  for (const Command& command : commands()) {
    const Text second = second_word(command);
    std::string here = fmt::format("__fish_seen_subcommand_from {}", first_word(command));
    if (!second.empty()) {
      std::string seconds;
      for (const Command* each : family(first_word(command))) {
        seconds += " " + std::string(second_word(*each));
      }
      text += fish_line(fmt::format("{}; and not __fish_seen_subcommand_from{}", here, seconds),
                        fmt::format("-a {} -d {}", second, in_quotes(command.summary)));
      here += fmt::format("; and __fish_seen_subcommand_from {}", second);
    }
    for (const Option& option : all_options(command)) {
      std::string rest = fmt::format("-l {}", option.name.substr(2));
      if (is_choice(option.value)) {
        rest += fmt::format(" -x -a {}", in_quotes(choices(option.value)));
      } else if (!option.value.empty()) {
        rest += option.value == "FILE" ? " -r -F" : " -x";
      }
      text += fish_line(here, rest + " -d " + in_quotes(option.help));
    }
    for (const Operand& operand : command.operands) {
      if (is_choice(operand.name))
        text += fish_line(here, "-a " + in_quotes(choices(operand.name)));
      if (operand.is_file) text += fish_line(here, "-F");
    }
  }
  return text;
}

}  // namespace

Done run_completion(World& world, const Arguments& arguments) {
  const std::string shell = *arguments.value("bash|zsh|fish");
  const std::string script = shell == "bash"  ? bash_script()
                             : shell == "zsh" ? zsh_script()
                                              : fish_script();
  world.output.print(
      arguments.has("--json") ? dump_json({{"shell", shell}, {"script", script}}) + "\n" : script);
  return 0;
}

}  // namespace tyer::cli
