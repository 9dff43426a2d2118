/**
 * Holds the shell program that runs commands inside a container, and encodes the requests that it reads from its stdin.
 *
 * The program needs a POSIX `sh` and `/proc`, and no other program unless a command asks for an empty environment (`env`,
 * `sed`). A request is one line of shell words, so that variables and secrets are never arguments of a process, and no file
 * has them. The program answers on the streams of the command with reports, between bytes that contain a random id.
 *
 * A command runs in the foreground of a subshell: a shell without job control would start a background process with SIGINT
 * ignored. A shell writes a line to its stderr when a signal ended its foreground process, except for SIGINT and SIGPIPE;
 * by this line a signal differs from an exit code above 128. (bash writes it with `-c` only outside of its POSIX mode.)
 *
 * On a terminal the request is typed while nothing is echoed or changed; the shell survives the keys that interrupt the
 * command.
 *
 * Source: sh(1p), stty(1p), proc_pid_fd(5), cgroups(7).
 */
import type { TerminalSize } from "../../command/Terminal.ts"
import { assignInLine, limitCommands, quoteInLine, startFunctions } from "../../sh-session/startFunctions.ts"

/** Begins and ends each report; not text in any encoding that programs write. */
export const reportStart = "\x1e\x15\x0e\x02"
export const reportEnd = "\x1e\x15\x0e\x03"

/**
 * Reports: `S pid path` started; what {@link describeRefusal} reads: refused, after `S` by exec(2); `X status E|S oom pids`
 * ended by exit or signal, with the number of processes that the memory limit killed, and of forks that the process limit
 * refused; `Z` on both outputs when no process has them open any more. After a command with stdin the rest of it is read: a
 * client of podman whose stdin breaks loses output. So does one whose terminal closes before it has read all: on a terminal the
 * session ends on request, or after 5 s without a key: dd(1) ends then, while the `read` of BusyBox waits on.
 */
export const sessionScript: string = `exec 3>&2 4>&1
[ -z "$BASH_VERSION" ] || set +o posix
_slb='
'
sluice_say() { printf '\\036\\025\\016\\002%s %s\\036\\025\\016\\003' "$sluice_id" "$1"; }
_slf() { trap - EXIT; sluice_say "$*" >&2; exit 127; }
${startFunctions.join("\n")}
sluice_child() {
  case $1 in
  /* | "") sluice_word=$1 ;;
  */*) sluice_word=$PWD/$1 ;;
  *) sluice_word=$1 ;;
  esac
  if [ -n "$sluice_dir" ]; then
    _slw "$sluice_dir"
    unset OLDPWD
  fi
  sluice_here=$PWD
  if [ "$sluice_clear" = 1 ]; then
    for sluice_name in $(env | sed -n '/^sluice_/d; s/^\\([A-Za-z_][A-Za-z0-9_]*\\)=.*/\\1/p'); do
      unset "$sluice_name"
    done
  fi
  sluice_env
  [ "$sluice_bin" = 0 ] || _sla "$sluice_here"
  _slr "$sluice_word"
  shift
  IFS=" " read -r sluice_pid sluice_rest </proc/self/stat
  sluice_say "S $sluice_pid $_slp" >&3
  [ "$sluice_in" = 1 ] || exec </dev/null
  [ "$sluice_merge" = 0 ] || exec 2>&1
  sluice_ifs
  trap _slx EXIT
  [ -z "$BASH_VERSION" ] || shopt -s execfail
  exec "$_slp" "$@" 3>&-
  _slx
  exit
}
sluice_count() {
  sluice_oom=0
  sluice_full=0
  for sluice_file in /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control \\
    /sys/fs/cgroup/pids.events /sys/fs/cgroup/pids/pids.events; do
    [ -r "$sluice_file" ] || continue
    while read -r sluice_key sluice_value; do
      case $sluice_file:$sluice_key in
      */memory*:oom_kill) sluice_oom=$sluice_value ;;
      */pids.events:max) sluice_full=$sluice_value ;;
      esac
    done <"$sluice_file"
  done
}
sluice_is_held() {
  for sluice_file in /proc/[0-9]*/fd/*; do
    case $sluice_file in "/proc/$$/"* | "/proc/$sluice_self/"*) continue ;; esac
    [ "$sluice_file" -ef /proc/self/fd/4 ] && return
    [ "$sluice_file" -ef /proc/self/fd/3 ] && return
  done
  return 1
}
sluice_tty=0
if [ "\${1-}" = tty ]; then
  sluice_tty=1 sluice_id=$2 sluice_size="rows $3 cols $4"
  sluice_modes=$(stty -g 2>/dev/null) && stty raw -echo 2>/dev/null && sluice_say R || { sluice_say T >&3; exit 127; }
  trap : INT QUIT
fi
while IFS= read -r sluice_line; do
  eval "$sluice_line"
  if [ "$sluice_tty" = 1 ]; then
    stty "$sluice_modes"
    stty $sluice_size
  fi
  sluice_count
  sluice_oom_before=$sluice_oom
  sluice_full_before=$sluice_full
  {
    [ "$sluice_tty" = 0 ] || trap : INT QUIT
    ( sluice_child "$@" ) 1>&4 2>&3 4>&-
    echo "= $?"
  } 2>&1 | {
    [ "$sluice_tty" = 0 ] || trap "" INT QUIT
    sluice_how=E
    sluice_status=137
    while IFS= read -r sluice_line; do
      case $sluice_line in
      "= "*) sluice_status=\${sluice_line#= } ;;
      ?*) sluice_how=S ;;
      esac
    done
    sluice_count
    sluice_oom=$((sluice_oom - sluice_oom_before))
    sluice_full=$((sluice_full - sluice_full_before))
    sluice_say "X $sluice_status $sluice_how $sluice_oom $sluice_full" >&3
    IFS=" " read -r sluice_self sluice_rest </proc/self/stat
    sluice_tries=100
    while sluice_is_held; do
      [ "$sluice_once" = 0 ] && [ $sluice_tries -gt 0 ] || exit 1
      sluice_tries=$((sluice_tries - 1))
      sleep 0.05 2>/dev/null || sleep 1
    done
    sluice_say Z >&4
    sluice_say Z >&3
  } || exit 0
  if [ "$sluice_tty" = 1 ]; then
    stty raw -echo min 0 time 50 2>/dev/null
    while sluice_line=$(dd bs=64 count=1 2>/dev/null) && [ -n "$sluice_line" ]; do
      case $sluice_line in *exit*) break ;; esac
    done
  fi
  [ "$sluice_in$sluice_tty" != 10 ] || cat >/dev/null 2>&1 || while read -r sluice_line; do :; done
  [ "$sluice_once" = 0 ] || exit 0
done`

/** The arguments of a `sh` whose commands have a terminal; it begins with the report `R`, or `T` where there is no stty(1). */
export const terminalWords = (ready: string, { cols, rows }: TerminalSize): ReadonlyArray<string> => [
  "sh",
  "-c",
  sessionScript,
  "sh",
  "tty",
  ready,
  String(rows),
  String(cols),
]

export interface SessionRequest {
  /** Random; only the session and this program have it. */
  readonly id: string
  /** The program and its arguments. */
  readonly words: ReadonlyArray<string>
  /** Absolute, or relative to the directory of the session; empty for the session's own. */
  readonly directory: string
  /** Variables to set, or to remove. Names are those of POSIX shells. */
  readonly variables: Iterable<readonly [name: string, value: string | null]>
  /** Whether the variables are the whole environment. */
  readonly clear: boolean
  /** Whether stdin of the session is that of the command; the session ends with it. */
  readonly stdin: boolean
  /** Whether the session ends with the command. */
  readonly once: boolean
  readonly mergeStreams: boolean
  readonly localBin: boolean
  readonly limits: { readonly memoryBytes?: number | undefined; readonly cpuSeconds?: number | undefined }
}

/** Encodes a request as the line that the session reads. */
export const encodeRequest = (request: SessionRequest): string => {
  const { clear, directory, id, limits, localBin, mergeStreams, once, stdin, variables, words } = request
  const assign = (only: boolean): ReadonlyArray<string> =>
    [...variables].filter(([name]) => (name === "IFS") === only).map(assignInLine)
  const { cpuSeconds, memoryBytes } = limits
  const setup = [
    ...assign(false),
    ...(memoryBytes === undefined ? [] : [limitCommands.memoryBytes(memoryBytes)]),
    ...(cpuSeconds === undefined ? [] : [limitCommands.cpuSeconds(cpuSeconds)]),
  ]
  const flag = (on: boolean): number => on ? 1 : 0
  return [
    `sluice_id=${id}`,
    `sluice_dir=${quoteInLine(directory)}`,
    `sluice_clear=${flag(clear)}`,
    `sluice_in=${flag(stdin)}`,
    `sluice_once=${flag(stdin || once)}`,
    `sluice_merge=${flag(mergeStreams)}`,
    `sluice_bin=${flag(localBin)}`,
    `sluice_env() { ${[":", ...setup].join("; ")}; }`,
    // The search in PATH has an IFS of its own.
    `sluice_ifs() { ${[":", ...assign(true)].join("; ")}; }`,
    `set -- ${words.map(quoteInLine).join(" ")}`,
  ].join("; ") + "\n"
}
