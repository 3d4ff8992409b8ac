# shellcheck shell=sh
# Checks, counted: programs of gtest and all else that passes or fails. dev reads this file.

passed=0
failed=0

# check_one NAME COMMAND…: one check that is no gtest program.
check_one() {
  check_start=$(tenths)
  heading "$1"
  shift
  if "$@"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
  fi
  say "   $(since "$check_start")"
}

# The page's own tests, where its packages are: the build installs them if there is Node.
check_web() {
  [ -d web/node_modules ] || return 0
  check_one "page" npm --prefix web --silent test
  want_peer playwright-core 1.65.0 && want_peer axe-core 4.14.0
  [ ! -d build/peers/node_modules/axe-core ] || [ ! -x "${TYER_BROWSER:-/usr/bin/chromium}" ] ||
    check_one "page in a browser" node web/look/checks.mjs
}

# Where a bare Debian can be made: as root, with Debian's packages at hand.
check_dist() {
  if [ "$(id -u)" != 0 ] || ! command -v dpkg-query >/dev/null; then
    say "The package for Debian was not tried: that takes root. ./dev dist --try does it alone."
    return
  fi
  if [ ! -f build/release/web/index.html ]; then
    say "The package for Debian was not made: the page was not built here; see web/README.md."
    return
  fi
  need $dist_packages
  check_one "dist" tools/dist
  if ! unshare --mount --pid --fork true 2>/dev/null; then
    say "The package for Debian was not installed: this root may not make a namespace for that."
    return
  fi
  need $bare_packages
  check_one "dist: installed on a bare Debian" tools/dist_test
}

check_tidy() {
  check_one "tidy: the rules themselves" tools/tidy_test
  check_one "tidy: this tree" tools/tidy
  check_one "what cannot be checked here is left out" tools/checks_test
}

count() { cat $suite_logs | grep -c "$1" || true; }

# run_suite PRESET NAME SHARDS FILTER
run_suite() {
  program=build/$1/bin/tyer_$2_test
  grep -q "^build bin/tyer_$2_test:" "build/$1/build.ninja" || return 0
  heading "$2 ($1)"
  suite_start=$(tenths)
  suite_logs=
  shard=0
  while [ $shard -lt "$3" ]; do
    log=$logs/$1-$2-$shard.log
    suite_logs="$suite_logs $log"
    start "$log" timeout --foreground --kill-after=10 $suite_seconds_max \
      env GTEST_TOTAL_SHARDS="$3" GTEST_SHARD_INDEX=$shard "$program" \
      --gtest_color=no --gtest_filter="$4"
    shard=$((shard + 1))
  done
  suite_status=0
  await "$2" "$log" || suite_status=$?

  good=$(count '\[       OK \] .* ms)$')
  bad=$(count '\[  FAILED  \] .* ms)$')
  skipped=$(count '\[  SKIPPED \] .* ms)$')
  if [ $suite_status != 0 ]; then
    tools/failed_tests $suite_logs
    say "tyer_$2_test ended with status $suite_status; its logs:$suite_logs"
    [ "$bad" != 0 ] || bad=1
  fi
  passed=$((passed + good))
  failed=$((failed + bad))
  say "   $good passed, $bad failed, $skipped skipped, $(since "$suite_start")"
}

# run_suites PRESET FILTER NAME…: of all suites those that are named.
run_suites() {
  suites_preset=$1
  suites_filter=$2
  shift 2
  mkdir -p $logs
  for suite in $suites; do
    case " $* " in
      *" ${suite%:*} "*)
        run_suite "$suites_preset" "${suite%:*}" "${suite#*:}" "$suites_filter" ;;
    esac
  done
}

# The last line is one that CI reads.
conclude() {
  [ $((passed + failed)) != 0 ] || say "No test was run."
  say "$passed passed, $failed failed"
  [ $failed = 0 ] && [ $passed != 0 ]
}
