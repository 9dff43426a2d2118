/**
 * Builds the shell script that runs on the server while a connection lasts: reports facts of the server, signals and ends
 * the trees of commands on request, and ends all of them when the connection is lost.
 *
 * It needs a POSIX `sh` with `cat`, `grep`, `sed`, `cut`, `sleep` and `tr`. Where there is no `/proc` (macOS, BSD), trees
 * are found by `ps`: processes that left their group and lost their parent are missed.
 *
 * Source: POSIX.1-2017, "Shell Command Language"; proc(5); ps(1p).
 */
import { markedByGrep, treeFunctions } from "../../sh-session/treeScript.ts"

/** Seconds between two ticks of the script's own clock. */
export const tickSeconds = 15

/** Ticks without a sign of life after which the connection counts as lost. */
const maxSilentTicks = 4

const psFunctions = `if [ ! -r /proc/self/environ ]; then
  marked() { for each in $roots; do [ "\${each#*:}" != "$1" ] || ! kill -0 "\${each%%:*}" 2>/dev/null || echo "\${each%%:*}"; done; }
  children() {
    below=$(ps -A -o pid= -o ppid= -o pgid= | while read -r a b c; do [ "$a" = "$1" ] || { [ "$b" != "$1" ] && [ "$c" != "$1" ]; } || echo "$a"; done)
  }
  start_of() {
    set -- $(ps -o stat= -o lstart= -p "$1" 2>/dev/null | tr -d :)
    case \${1:-Z} in Z*) return 1 ;; esac
    start=$3$4$5$6
  }
fi`

/** One line a fact; `$0` begins and ends them. A limit is listed if it can be lowered here. */
const facts = `echo "$0"
echo "os $(uname -s)"
echo "uid $(id -u)"
echo "words $(getconf ARG_MAX 2>/dev/null)"
echo "env $(command -v env)"
echo "prlimit $(command -v prlimit)"
echo "stty $(command -v stty)"
echo "proc $([ -r /proc/self/environ ] && echo yes)"
echo "limits $(for each in v t f; do (ulimit -S -$each 1000000) 2>/dev/null && echo $each; done | tr "\\n" " ")"
echo "$0"`

/**
 * Requests, one line each: `a PID MARKER` a command started, `d MARKER` it ended, `e ID MARKER TENTHS` end its tree, `o ID
 * PREFIX TENTHS` end what is left of other runs with this prefix, `s SIGNAL PID MARKER` signal one process, `p PID MARKER` its
 * reader is gone, `h` a sign of life. Answers: `ID FOUND SURVIVORS`.
 */
const requests = `roots=
silent=0
sleeper=
relay=
# A process shows no environment for a moment of execve(2): while the first one of a run lives, another look may find it.
end_run() {
  asked=
  looks=20
  end_tree "$1" "$2"
  for root in $roots; do
    while [ "\${root#*:}" = "$1" ] && [ -z "$asked" ] && [ $looks -gt 0 ] && kill -0 "\${root%%:*}" 2>/dev/null; do
      looks=$((looks - 1))
      sleep 0.1
      end_tree "$1" "$2"
    done
  done
}
ids() { echo "$@" | sed "s/:[^ ]*//g" | tr " " ,; }
report() {
  first=
  left=
  case $2 in o)
    for each in $(marked "$3"); do
      own=
      for live in $roots; do ! has_marker "$each" "\${live#*:}" || own=yes; done
      [ -n "$own" ] || first="$first $each"
    done
    # Runs of this program share the prefix: only the full markers of others are ended.
    ended=
    for each in $(for pid in $first; do tr "\\000" "\\n" < "/proc/$pid/environ" 2>/dev/null | sed -n "s/^SLUICE_RUN=//p" | tr ":" "\\n" | grep -F -e "$3"; done | sort -u); do
      end_tree "$each" "$4"
      ended="$ended $asked"
      left="$left $found"
    done
    echo "$1 $(ids $ended), $(ids $left)"
    ;;
  *)
    end_run "$3" "$4"
    echo "$1 , $(ids $found)"
    ;;
  esac
}
has_marker() {
  if [ -r /proc/self/environ ]; then grep -qsF -e "$2" "/proc/$1/environ" || (tr "\\000" "\\n" < "/proc/$1/environ" | grep -qF -e "$2") 2>/dev/null
  else case " $roots " in *" $1:$2 "*) ;; *) return 1;; esac; fi
}
while read -r op a b c; do
  case $op in
    a) roots="$roots $a:$b" ;;
    d)
      kept=
      for each in $roots; do [ "\${each#*:}" = "$a" ] || kept="$kept $each"; done
      roots=$kept
      ;;
    e) report "$a" e "$b" "$c" < /dev/null & ;;
    o) report "$a" o "$b" "$c" < /dev/null & ;;
    s) ! has_marker "$b" "$c" || kill -s "$a" "$b" 2>/dev/null ;;
    p)
      if has_marker "$a" "$b"; then
        found= queue=$a
        descend
        if [ -n "$found" ]; then send PIPE $found; else kill -s PIPE "$a" 2>/dev/null; fi
      fi
      ;;
    h) silent=0 ;;
    t)
      sleeper=$a
      silent=$((silent + 1))
      [ $silent -le ${maxSilentTicks} ] || break
      ;;
    r) relay=$a ;;
    x) break ;;
  esac
done
[ -z "$sleeper" ] || kill -s KILL "$sleeper" 2>/dev/null
exec > /dev/null 2>&1
for each in $roots; do end_run "\${each#*:}" "$grace" & done
wait
[ -z "$relay" ] || kill -s KILL "$relay"`

/**
 * The script. `$0`: the word that begins and ends the facts. Requests come through a relay that also ticks, so that a silent
 * connection is noticed by a shell that cannot read with a timeout. `graceTenths`: for trees of a lost connection.
 */
export const watchdogScript = (graceTenths: number, tick: number = tickSeconds): string =>
  `trap "" HUP INT QUIT TERM PIPE
grace=${graceTenths}
${facts}
{
  sh -c 'while :; do sleep ${tick} > /dev/null & echo "t $!" || exit; wait; done' < /dev/null 2> /dev/null &
  ticker=$!
  sh -c 'echo "r $$"; exec cat'
  kill -s KILL $ticker
  echo x
} | {
${treeFunctions}
${markedByGrep}
${psFunctions}
${requests}
}
exit 0
`
