/**
 * Defines functions of a POSIX shell that find, stop, signal and end the processes of a run on Linux.
 *
 * They start no process except `sleep`, so they work even when no more processes may be started. A process is
 * `PID:START`, since its id may become another's.
 *
 * Source: proc_pid_environ(5), proc_tid_children(5), proc_pid_stat(5).
 */

/**
 * - `start_of PID`: its start, in `$start`. - `children PID`: in `$below`. - `add PID`, and `descend`, which adds what is below
 *   all that was added: in `$found`. - `find_all MARKER` adds what `each_marked MARKER` adds, and what is below.
 * - `send SIGNAL PID:START…`. - `freeze MARKER`: stops all until a search finds no new one. - `end_tree MARKER TENTHS
 *   [tty]`: SIGTERM to all, at most so many tenths of a second, SIGKILL; survivors are in `$found`. With `tty` they
 *   also get SIGHUP: an interactive shell ignores SIGTERM, and passes SIGHUP on to its jobs before it ends.
 */
export const treeFunctions: string = `start_of() {
  # A name of a program may have line ends and parentheses.
  stat=
  while read -r line; do stat="$stat $line"; done 2>/dev/null < /proc/"$1"/stat
  set -- \${stat##*) }
  [ $# -ge 20 ] && [ "$1" != Z ] && [ "$1" != X ] || return 1
  start=\${20}
}
children() {
  below=
  for task in /proc/"$1"/task/*/children; do
    some=
    read -r some 2>/dev/null < "$task"
    below="$below $some"
  done
}
add() {
  case "$found " in *" $1:"*) return ;; esac
  start_of "$1" || return
  found="$found $1:$start"
  queue="$queue $1"
}
descend() {
  while [ -n "$queue" ]; do
    parents=$queue queue=
    for parent in $parents; do
      children "$parent"
      for child in $below; do add "$child"; done
    done
  done
}
find_all() { found= queue=; each_marked "$1"; descend; }
is_same() { start_of "\${1%:*}" && [ "$start" = "\${1#*:}" ]; }
send() { signal=$1; shift; for each; do is_same "$each" && kill -s "$signal" "\${each%:*}" 2>/dev/null; done; }
freeze() {
  found= rounds=50
  while [ $rounds -gt 0 ]; do
    rounds=$((rounds - 1)) before=$found
    find_all "$1"
    send STOP $found
    [ "$found" != "$before" ] || return 0
  done
}
is_left() {
  for each in $asked; do ! is_same "$each" || return 0; done
  find_all "$1"
  [ -n "$found" ]
}
tenth() { sleep 0.1 2>/dev/null || sleep 1; }
end_tree() {
  freeze "$1"
  [ -n "$found" ] || return 0
  # A process without the marker is found by its parent, which may have ended by then.
  asked=$found
  send TERM $asked
  send CONT $asked
  [ "\${3-}" != tty ] || { tenth; send HUP $asked; }
  while [ "$2" -gt 0 ] && is_left "$1"; do tenth; set -- "$1" $(($2 - 1)); done
  send KILL $asked
  tries=50
  while [ $tries -gt 0 ]; do
    tries=$((tries - 1))
    freeze "$1"
    [ -n "$found" ] || return 0
    send KILL $found
  done
}`

/** `marked MARKER` prints the processes whose environment has it. It needs `grep`, or `grep` and `tr`; those of BusyBox do. */
export const markedByGrep: string = `# BusyBox's grep ends a line at a NUL, except with -z, which it may lack.
nul=
printf "a\\000b" | grep -qF b || nul=z
if printf "a\\000b" | grep -q\${nul}F b 2>/dev/null; then
  marked() { for each in $(grep -ls\${nul}F -e "$1" /proc/[0-9]*/environ); do each=\${each#/proc/}; echo "\${each%/environ}"; done; }
else
  marked() {
    for each in /proc/[0-9]*; do
      (tr "\\000" "\\n" < "$each/environ" | grep -qF -e "$1") 2>/dev/null && echo "\${each#/proc/}"
    done
  }
fi
each_marked() { for pid in $(marked "$1"); do add "$pid"; done; }`

/**
 * Ends all processes of a command in a container, which may have no programs except `sh` and `sleep`. `$1`, `$2`, `$3`:
 * those of `end_tree`. Exits with 1 if processes are left. The shell's own `read` leaves out NULs.
 */
export const endMarkedScript: string = `${treeFunctions}
each_marked() {
  for folder in /proc/[0-9]*; do
    while IFS= read -r line || [ -n "$line" ]; do
      case $line in *"$1"*) add "\${folder#/proc/}"; break ;; esac
    done <"$folder/environ"
  done
}
exec 2>/dev/null
end_tree "$@"
[ -z "$found" ]`

/** A grace period for a script, in tenths of a second: at most one hour. */
export const toTenths = (graceMillis: number): number => Math.min(36_000, Math.round(graceMillis / 100))
