/**
 * Defines functions of a POSIX shell that find, stop, signal and identify the processes of a run, by a marker in their
 * environment and by their parents, on Linux.
 *
 * They need `grep`, `sleep` and `tr`, those of BusyBox too.
 *
 * Source: proc_pid_environ(5), proc_tid_children(5), proc_pid_stat(5).
 */
/**
 * - `marked MARKER`: the processes whose environment has it. - `all MARKER`: with their descendants. - `send SIGNAL PID…`.
 * - `freeze MARKER`: stops all until a search finds no new one; they are in `$found`. - `dated PID…`, `same PID:START…`: which
 *   of the processes are still those that were dated. - `end_tree MARKER TENTHS`: SIGTERM to all, at most so many tenths of a
 *   second, SIGKILL; those that survive are in `$found`.
 */
export const treeFunctions: string = `# BusyBox's grep ends a line at a NUL, except with -z, which it may lack.
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
children() { for task in /proc/"$1"/task/*/children; do below=; read -r below 2>/dev/null < "$task"; echo $below; done; }
tree() { for pid; do echo "$pid"; tree $(children "$pid"); done; }
all() { tree $(marked "$1"); }
send() { signal=$1; shift; [ $# -eq 0 ] || kill -s "$signal" "$@" 2>/dev/null; }
# A name of a program may have line ends and parentheses.
started() {
  stat=
  while read -r line; do stat="$stat $line"; done 2>/dev/null < /proc/"$1"/stat
  set -- \${stat##*) }
  [ $# -lt 20 ] || echo "\${20}"
}
dated() { for pid; do echo "$pid:$(started "$pid")"; done; }
same() { for each; do [ "$(started "\${each%:*}")" != "\${each#*:}" ] || echo "\${each%:*}"; done; }
freeze() {
  found=
  rounds=50
  while [ $rounds -gt 0 ]; do
    rounds=$((rounds - 1))
    before=$found
    found=$(all "$1")
    send STOP $found
    [ "$found" != "$before" ] || return 0
  done
}
end_tree() {
  freeze "$1"
  [ -n "$found" ] || return 0
  # A process without the marker is found by its parent, which may have ended by then.
  asked=$(dated $found)
  send TERM $found
  send CONT $found
  while [ "$2" -gt 0 ] && [ -n "$(marked "$1")" ]; do sleep 0.1; set -- "$1" $(($2 - 1)); done
  send KILL $(same $asked)
  tries=50
  while [ $tries -gt 0 ]; do
    tries=$((tries - 1))
    freeze "$1"
    [ -n "$found" ] || return 0
    send KILL $found
  done
}`

/** A grace period as a script counts it: in tenths of a second, at most one hour. */
export const toTenths = (graceMillis: number): number => Math.min(36_000, Math.round(graceMillis / 100))
