/**
 * Holds the shell script that ends all processes of a command in a container.
 *
 * It needs a POSIX `sh`, `/proc`, and `sleep` for a grace period. It reads environments with the shell's own `read`, which
 * leaves out NULs: the `grep` of BusyBox ends a line at the first one.
 *
 * Source: proc_pid_environ(5), proc_tid_children(5), proc_pid_stat(5).
 */
/**
 * `$1`: the marker in the environment of the processes; `$2`: tenths of a second between SIGTERM and SIGKILL; `$3`: `tty` where they
 * have a terminal: an interactive shell ignores SIGTERM, and passes SIGHUP on to its jobs before it ends. Descendants without
 * the marker are found by their parent. Stops all before it signals any, so that none forks away. Exits with 1 if processes are
 * left.
 */
export const endMarkedScript = `marker=$1 tenths=$2
start_of() {
  stat=
  read -r stat <"/proc/$1/stat" || return 1
  set -- \${stat##*") "}
  [ "$1" != Z ] && [ "$1" != X ] || return 1
  start=\${20}
}
add() {
  case "$found " in *" $1:"*) return ;; esac
  start_of "$1" || return
  found="$found $1:$start"
  queue="$queue $1"
}
find_all() {
  found= queue=
  for folder in /proc/[0-9]*; do
    while IFS= read -r line || [ -n "$line" ]; do
      case $line in *"$marker"*) add "\${folder#/proc/}"; break ;; esac
    done <"$folder/environ"
  done
  while [ -n "$queue" ]; do
    parents=$queue queue=
    for parent in $parents; do
      for file in /proc/"$parent"/task/*/children; do
        children=
        read -r children <"$file"
        for child in $children; do add "$child"; done
      done
    done
  done
}
send() {
  signal=$1
  shift
  for each; do
    start_of "\${each%:*}" && [ "$start" = "\${each#*:}" ] && kill -s "$signal" "\${each%:*}"
  done
}
freeze() {
  found= rounds=50
  while [ $rounds -gt 0 ]; do
    rounds=$((rounds - 1)) before=$found
    find_all
    send STOP $found
    [ "$found" != "$before" ] || return
  done
}
is_left() {
  for each in $asked; do
    start_of "\${each%:*}" && [ "$start" = "\${each#*:}" ] && return
  done
  find_all
  [ -n "$found" ]
}
exec 2>/dev/null
freeze
[ -n "$found" ] || exit 0
asked=$found
send TERM $asked
send CONT $asked
if [ "\${3-}" = tty ]; then
  sleep 0.1 || sleep 1
  send HUP $asked
fi
while [ "$tenths" -gt 0 ] && is_left; do
  sleep 0.1 || sleep 1
  tenths=$((tenths - 1))
done
send KILL $asked
tries=50
while [ $tries -gt 0 ]; do
  tries=$((tries - 1))
  freeze
  [ -n "$found" ] || exit 0
  send KILL $found
done
exit 1`
