# shellcheck shell=sh
# Jobs are commands that write into a log while a person sees that they live. dev reads
# this file; what it starts ends with it.

jobs_running=
ticker=
trap 'kill $jobs_running $ticker 2>/dev/null || true' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# start LOG COMMAND…: in the background, but with the signals of a foreground
# command. The shell would have it ignore SIGINT, and so would all it starts.
start() {
  job_log=$1
  shift
  env --default-signal=INT,QUIT "$@" </dev/null >"$job_log" 2>&1 &
  jobs_running="$jobs_running $!"
}

# await LABEL LOG: waits for all that was started. On a terminal a line shows
# the seconds and where LOG is. The result is the first status that is not 0.
await() {
  if [ -t 1 ]; then
    tick "$1" "$2" &
    ticker=$!
  fi
  await_status=0
  for job in $jobs_running; do
    job_status=0
    wait "$job" || job_status=$?
    [ $await_status != 0 ] || await_status=$job_status
  done
  jobs_running=
  if [ -n "$ticker" ]; then
    kill "$ticker"
    wait "$ticker" 2>/dev/null || true
    ticker=
    printf '\r\033[K'
  fi
  return $await_status
}

tick() {
  ticks=0
  while kill -0 $$ 2>/dev/null; do
    printf '\r\033[K%s: %d s  %s' "$1" $ticks "$(tail -n 1 "$2" 2>/dev/null | cut -c 1-60)"
    sleep 1
    ticks=$((ticks + 1))
  done
}
