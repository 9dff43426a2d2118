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
 * On a terminal the request is typed while nothing is echoed or changed; the shell survives the keys that interrupt the command.
 *
 * Source: sh(1p), stty(1p), proc_pid_fd(5), cgroups(7).
 */
import type { TerminalSize } from "../../command/Terminal.ts"
import { quoteOnOneLine } from "../../shell-language/quoteWord.ts"

/** Begins and ends each report; not text in any encoding that programs write. */
export const reportStart = "\x1e\x15\x0e\x02"
export const reportEnd = "\x1e\x15\x0e\x03"

/**
 * Reports: `S pid path` started; `D code`, `C code` directory or command cannot be used; `L limit` cannot be set; `F status`
 * or `F interpreter path` exec(2) failed; `X status E|S oom pids` ended by exit or signal, with the number of processes that
 * the memory limit killed, and of forks that the process limit refused; `Z` on both outputs when no process has them open any
 * more. After a command with stdin the rest of it is read: a client of podman whose stdin breaks loses output. So does one whose
 * terminal closes before it has read all: on a terminal the session ends when it is told to, or after 5 s without a key: dd(1)
 * ends then, while the `read` of BusyBox waits on.
 */
export const sessionScript = `exec 3>&2 4>&1
[ -z "$BASH_VERSION" ] || set +o posix
sluice_nl='
'
sluice_say() { printf '\\036\\025\\016\\002%s %s\\036\\025\\016\\003' "$sluice_id" "$1"; }
sluice_refuse() { sluice_say "$1" >&3; exit 127; }
sluice_failed() {
  sluice_status=$?
  sluice_first=
  IFS= read -r sluice_first <"$sluice_path" 2>/dev/null
  case $sluice_first in
  "#!"*)
    sluice_first=\${sluice_first#"#!"}
    sluice_first=\${sluice_first#"\${sluice_first%%[! ]*}"}
    sluice_first=\${sluice_first%% *}
    [ -e "$sluice_first" ] || sluice_status="interpreter $sluice_first" ;;
  esac
  sluice_say "F $sluice_status" >&2
}
sluice_find() {
  set -f
  IFS=:
  sluice_denied=
  for sluice_place in \${PATH-/usr/local/bin:/usr/bin:/bin}; do
    sluice_path=\${sluice_place:-.}/$1
    [ -f "$sluice_path" ] || continue
    [ ! -x "$sluice_path" ] || return 0
    sluice_denied=1
  done
  [ -z "$sluice_denied" ] || sluice_refuse "C EACCES"
  sluice_refuse "C ENOENT"
}
sluice_child() {
  case $1 in
  /*) sluice_path=$1 ;;
  */*) sluice_path=$PWD/$1 ;;
  *) sluice_path= ;;
  esac
  if [ -n "$sluice_dir" ]; then
    CDPATH= cd -P -- "$sluice_dir" 2>/dev/null || {
      [ ! -d "$sluice_dir" ] || sluice_refuse "D EACCES"
      [ ! -e "$sluice_dir" ] || sluice_refuse "D ENOTDIR"
      sluice_refuse "D ENOENT"
    }
    unset OLDPWD
  fi
  sluice_here=$PWD
  if [ "$sluice_clear" = 1 ]; then
    for sluice_name in $(env | sed -n '/^sluice_/d; s/^\\([A-Za-z_][A-Za-z0-9_]*\\)=.*/\\1/p'); do
      unset "$sluice_name"
    done
  fi
  sluice_env
  if [ "$sluice_bin" = 1 ]; then
    sluice_bins=
    while :; do
      sluice_bins=$sluice_bins\${sluice_here%/}/node_modules/.bin:
      [ "$sluice_here" != / ] || break
      sluice_here=\${sluice_here%/*}
      sluice_here=\${sluice_here:-/}
    done
    export PATH="$sluice_bins\${PATH-/usr/local/bin:/usr/bin:/bin}"
  fi
  if [ -z "$sluice_path" ]; then sluice_find "$1"
  elif [ ! -e "$sluice_path" ]; then sluice_refuse "C ENOENT"
  elif [ -d "$sluice_path" ] || [ ! -x "$sluice_path" ]; then sluice_refuse "C EACCES"
  fi
  shift
  IFS=" " read -r sluice_pid sluice_rest </proc/self/stat
  sluice_say "S $sluice_pid $sluice_path" >&3
  [ "$sluice_in" = 1 ] || exec </dev/null
  [ "$sluice_merge" = 0 ] || exec 2>&1
  trap sluice_failed EXIT
  [ -z "$BASH_VERSION" ] || shopt -s execfail
  exec "$sluice_path" "$@" 3>&-
  sluice_failed
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
  sluice_modes=$(stty -g 2>/dev/null) && stty raw -echo 2>/dev/null && sluice_say R || sluice_refuse T
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

/** A command as the session runs it. */
export interface SessionRequest {
  /** Random; only the session and this program have it. */
  readonly id: string
  /** The program and its arguments. */
  readonly words: ReadonlyArray<string>
  /** Absolute, or relative to the directory of the session; empty for that. */
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

/** Quotes a word on one line. */
export const quoteInLine = (word: string): string => quoteOnOneLine(word, '"$sluice_nl"')

/** Encodes a request as the line that the session reads. */
export const encodeRequest = (request: SessionRequest): string => {
  const { clear, directory, id, limits, localBin, mergeStreams, once, stdin, variables, words } = request
  const setup: Array<string> = []
  for (const [name, value] of variables) {
    setup.push(value === null ? `unset ${name}` : `export ${name}=${quoteInLine(value)}`)
  }
  const { cpuSeconds, memoryBytes } = limits
  if (memoryBytes !== undefined) {
    setup.push(`ulimit -v ${Math.ceil(memoryBytes / 1024)} 2>/dev/null || sluice_refuse "L memoryBytes"`)
  }
  if (cpuSeconds !== undefined) {
    // At the soft limit the kernel sends SIGXCPU, at the hard one SIGKILL.
    setup.push(`ulimit -S -t ${cpuSeconds} 2>/dev/null || sluice_refuse "L cpuSeconds"`)
    setup.push(`ulimit -H -t ${cpuSeconds + 1} 2>/dev/null`)
  }
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
    `set -- ${words.map(quoteInLine).join(" ")}`,
  ].join("; ") + "\n"
}
