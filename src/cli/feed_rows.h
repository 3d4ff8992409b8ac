// The rows of the commands about feeds and events, for the table in commands.cc.

#pragma once

#include <array>
#include <string_view>

#include "cli/commands.h"
#include "cli/hub_rows.h"

namespace tyer::cli::feed_rows {

using hub_rows::codes;
using hub_rows::only_url;
using hub_rows::url_option;

inline constexpr Operand feed{.name = "FEED", .help = "The feed's name, or its id"};
inline constexpr Operand text{
    .name = "TEXT", .help = "Markdown; read from standard input by default", .required = false};

inline constexpr std::array<std::string_view, 2> list_examples{"tyer feed list",
                                                               "tyer feed list --json"};
inline constexpr Command list{.name = "feed list",
                              .group = "Hub",
                              .summary = "List the feeds, and how many threads in them are unread",
                              .details = "",
                              .operands = {},
                              .options = only_url,
                              .examples = list_examples,
                              .exit_codes = codes,
                              .run = run_feed_list};

inline constexpr std::array add_operands{Operand{.name = "NAME", .help = "What it is called"}};
inline constexpr std::array<std::string_view, 1> add_examples{"tyer feed add general"};
inline constexpr Command add{.name = "feed add",
                             .group = "Hub",
                             .summary = "Make a feed, and print its id",
                             .details = "",
                             .operands = add_operands,
                             .options = only_url,
                             .examples = add_examples,
                             .exit_codes = codes,
                             .run = run_feed_add};

inline constexpr std::array feed_operands{feed};
inline constexpr std::array<std::string_view, 2> remove_examples{"tyer feed remove general",
                                                                 "tyer feed remove general --yes"};
inline constexpr Command remove{
    .name = "feed remove",
    .group = "Hub",
    .summary = "Delete a feed with what is in it",
    .details = "Says what is deleted and asks; without a terminal it needs --yes.",
    .operands = feed_operands,
    .options = hub_rows::sure_options,
    .examples = remove_examples,
    .exit_codes = hub_rows::sure_codes,
    .run = run_feed_remove};

inline constexpr std::array post_operands{feed, text};
inline constexpr std::array post_options{
    Option{"--title", "TEXT", "Its title, at most 300 characters"}, url_option};
inline constexpr std::array<std::string_view, 2> post_examples{
    "tyer feed post general --title Hello '@research-bot what is new?'",
    "git log -1 --format=%B | tyer feed post general"};
inline constexpr Command post{
    .name = "feed post",
    .group = "Hub",
    .summary = "Write a post, and print its id",
    .details =
        "@agent wakes that agent, @agent/session one of its sessions, which is made if "
        "there is none.",
    .operands = post_operands,
    .options = post_options,
    .examples = post_examples,
    .exit_codes = codes,
    .run = run_feed_post};

inline constexpr std::array comment_operands{Operand{.name = "POST", .help = "The post's id"},
                                             text};
inline constexpr std::array<std::string_view, 1> comment_examples{
    "tyer feed comment ps_01kb2v6d9s0q8t5n3m1x7c4z2f 'Thank you.'"};
inline constexpr Command comment{.name = "feed comment",
                                 .group = "Hub",
                                 .summary = "Write a comment on a post, and print its id",
                                 .details = "",
                                 .operands = comment_operands,
                                 .options = only_url,
                                 .examples = comment_examples,
                                 .exit_codes = codes,
                                 .run = run_feed_comment};

inline constexpr std::array show_operands{
    Operand{.name = "FEED_OR_POST", .help = "A feed's name or id, or a post's id"}};
inline constexpr std::array show_options{
    Option{"--limit", "N", "The newest so many posts, or comments (50)"}, url_option};
inline constexpr std::array<std::string_view, 2> show_examples{
    "tyer feed show general", "tyer feed show ps_01kb2v6d9s0q8t5n3m1x7c4z2f"};
inline constexpr Command show{.name = "feed show",
                              .group = "Hub",
                              .summary = "Show the posts of a feed, or a post with its comments",
                              .details =
                                  "The newest come last. Notices, such as that a run failed, stand "
                                  "between the comments.",
                              .operands = show_operands,
                              .options = show_options,
                              .examples = show_examples,
                              .exit_codes = codes,
                              .run = run_feed_show};

inline constexpr std::array tail_operands{Operand{
    .name = "FEED", .help = "The feed's name, or its id; all by default", .required = false}};
inline constexpr std::array tail_options{
    Option{"--last", "N", "Begin with the newest so many (10)"}, url_option};
inline constexpr std::array<std::string_view, 2> tail_examples{
    "tyer feed tail", "tyer feed tail general --last 0 --json"};
inline constexpr Command tail{
    .name = "feed tail",
    .group = "Hub",
    .summary = "Show posts and comments as they are written, until interrupted",
    .details =
        "Notices, such as that a run failed, are shown as well. A connection that breaks is made "
        "again; nothing is missed or shown twice.",
    .operands = tail_operands,
    .options = tail_options,
    .examples = tail_examples,
    .exit_codes = codes,
    .run = run_feed_tail};

inline constexpr std::array retry_operands{
    Operand{.name = "ITEM", .help = "The post or comment that was not answered, by its id"},
    Operand{.name = "SESSION", .help = "The session that was to answer it, by its id"}};
inline constexpr std::array<std::string_view, 1> retry_examples{
    "tyer feed retry cm_01kb2v6d9s0q8t5n3m1x7c4z2f ss_01kb2v6d9s0q8t5n3m1x7c4z2g"};
inline constexpr Command retry{
    .name = "feed retry",
    .group = "Hub",
    .summary = "Have a session try again what it has failed to answer",
    .details = "'tyer feed show POST' names the command for what was skipped.",
    .operands = retry_operands,
    .options = only_url,
    .examples = retry_examples,
    .exit_codes = codes,
    .run = run_feed_retry};

inline constexpr std::array events_options{
    Option{"--follow", "", "Go on with events as they happen, until interrupted"},
    Option{"--topics", "LIST", "First words of types, with commas: post,comment,session"},
    Option{"--agents", "LIST", "Agents, with commas: what they wrote, what is meant for them"},
    Option{"--after", "ID", "Those after this event; else all, or with --follow from now on"},
    Option{"--limit", "N", "End after so many"},
    url_option,
};
inline constexpr std::array<std::string_view, 3> events_examples{
    "tyer events --topics post,comment", "tyer events --follow --agents research-bot --json",
    "tyer events --after ev_0000000000000042 --limit 10"};
inline constexpr Command events{
    .name = "events",
    .group = "Hub",
    .summary = "Show what happened, as the hub tells it, the oldest first",
    .details =
        "With --json each line is an event as the event stream has it; give the last "
        "event_id to --after to go on from there. A connection that breaks is made again; "
        "nothing is missed or shown twice.",
    .operands = {},
    .options = events_options,
    .examples = events_examples,
    .exit_codes = codes,
    .run = run_events};

}  // namespace tyer::cli::feed_rows
