/**
 * Defines functions of a POSIX shell that prepare the start of a command, and quotes its words for a shell that reads
 * line by line.
 *
 * The functions are part of a line for a login shell: it has no single quotes, exclamation marks, backslashes or line
 * ends, so Bourne shells, fish and csh read it alike.
 */
import { quoteOnOneLine } from "../shell-language/quoteWord.ts"

const defaultPath = "${PATH-/usr/local/bin:/usr/bin:/bin}"

/**
 * `_slw DIRECTORY` enters it. `_slr PROGRAM` finds it in PATH: `$_slp`; IFS is unset then. `_slx` reports why exec(2)
 * failed. `_sla DIRECTORY` puts its local programs before PATH. All call `_slf WHAT CODE …`, which the script defines: it
 * refuses the command, as {@link describeRefusal} reads it, and exits.
 */
export const startFunctions: ReadonlyArray<string> = [
  `_slw() { CDPATH= cd -P -- "$1" 2>/dev/null && return; [ -d "$1" ] && _slf cwd EACCES; [ -e "$1" ] && _slf cwd ENOTDIR; _slf cwd ENOENT; }`,
  `_slr() { case $1 in */*) _slp=$1 ;; *) _slp=; _sle=; IFS=:; set -f; for _sld in ${defaultPath}; do ` +
  `_sld=\${_sld:-.}/$1; [ -f "$_sld" ] || continue; _sle=\${_sle:-$_sld}; [ -x "$_sld" ] && _slp=$_sld && break; done; ` +
  `set +f; unset IFS; _slp=\${_slp:-$_sle} ;; esac; [ -n "$_slp" ] && [ -e "$_slp" ] || _slf program ENOENT; ` +
  `[ -d "$_slp" ] && _slf program EISDIR; [ -x "$_slp" ] || _slf program EACCES; }`,
  `_slx() { case $? in 126|127) unset IFS; IFS= read -r _slh < "$_slp"; case $_slh in "#"?*) set -f; set -- \${_slh#??}; ` +
  `[ -e "$1" ] || _slf interpreter ENOENT "$1" ;; esac; _slf program ENOEXEC ;; esac; }`,
  `_sla() { _sld=$1; _sle=; while :; do _sle=$_sle\${_sld%/}/node_modules/.bin:; [ -n "\${_sld%/}" ] || break; _sld=\${_sld%/*}; done; ` +
  `PATH=$_sle${defaultPath}; export PATH; }`,
]

/** Quotes a word on one line, for a shell whose `$_slb` holds a line end. */
export const quoteInLine = (word: string): string => quoteOnOneLine(word, '"$_slb"')

/** The command that sets a variable whose name is one of POSIX shells, or removes it. */
export const assignInLine = ([name, value]: readonly [name: string, value: string | null]): string =>
  value === null ? `unset ${name}` : `export ${name}=${quoteInLine(value)}`

/** Shell commands that set limits, or refuse the command if a shell does not support them. */
export const limitCommands: Readonly<Record<"memoryBytes" | "cpuSeconds", (value: number) => string>> = {
  memoryBytes: (value) => `ulimit -v ${Math.floor(value / 1_024)} 2>/dev/null || _slf limit memoryBytes`,
  // At the soft limit the kernel sends SIGXCPU, at the hard one, a second later, SIGKILL.
  cpuSeconds: (value) => `{ ulimit -S -t ${value} && ulimit -H -t ${value + 1}; } 2>/dev/null || _slf limit cpuSeconds`,
}
