/**
 * Builds the text that starts a command on a server: a fixed line for the login shell, and a line for `sh` on stdin with the
 * command's own words, so that no word is ever read by the login shell or shown in the list of processes.
 *
 * The fixed line has no single quote, exclamation mark, backslash or line end inside its quotes: Bourne shells, fish and csh
 * read it alike.
 *
 * Source: POSIX.1-2017, "Shell Command Language", 2.2 and 2.14.
 */
import { isShellName } from "../../host/systemShell.ts"
import { assignInLine, quoteInLine, startFunctions } from "../../sh-session/startFunctions.ts"

/** The exit code of a start that the server refused. A command may exit with it too; a line on stdout distinguishes them. */
export const refusedCode = 126

/** `_slf` reports why a command was not started. */
const functions = [
  `_slf() { echo "$_sln $*"; trap - 0; exit ${refusedCode}; }`,
  ...startFunctions,
].join("; ")

/** The path of env(1), where the server's own has characters that login shells read in different ways. */
const plainPath = (path: string): string => /^[A-Za-z0-9._/+-]+$/.test(path) ? path : "/usr/bin/env"

/**
 * The line for the login shell. `nonce`: random letters and digits, which begin each line of the start, to distinguish
 * it from the output of start-up files. The shell has the marker before it reads the command's words, so a start that
 * is cancelled or loses its connection can be found at any moment.
 */
export const startLine = (nonce: string, { env, marker }: Pick<RemoteStart, "env" | "marker">): string =>
  `exec ${
    plainPath(env)
  } SLUICE_RUN=${marker} /bin/sh -c '_sln=${nonce}; ${functions}; echo "$_sln $$"; IFS= read -r _sll || exit 255; eval "$_sll"'`

/** The line for the login shell that runs a script from stdin, up to a line that is the nonce; `$0` is the nonce too. */
export const scriptLine = (nonce: string): string => `exec /bin/sh -c 'IFS= read -r _sll; eval "$_sll"' ${nonce}`

/** The script for {@link scriptLine}, and its end. */
export const scriptText = (nonce: string, script: string): string =>
  `n=$(printf "\\nx"); n=\${n%x}; s=; while IFS= read -r l && [ "$l" != ${nonce} ]; do s=$s$l$n; done; eval "$s"\n${script}\n${nonce}\n`

/** The server's form of a command. */
export interface RemoteStart {
  readonly marker: string
  /** A name for PATH, or a path. */
  readonly program: string
  readonly args: ReadonlyArray<string>
  readonly directory: string | undefined
  /** Variables to set, and with `null` to remove. */
  readonly variables: ReadonlyArray<readonly [name: string, value: string | null]>
  /** The path of `env`, where the command gets nothing of the server's environment. */
  readonly clearWith: string | undefined
  /** The path of `env`. */
  readonly env: string
  readonly localBin: boolean
  readonly merge: boolean
  readonly hasInput: boolean
  readonly terminal: boolean
  /** Commands of sh that set limits. */
  readonly limits: ReadonlyArray<string>
  /** Whether sh waits for the command, and exits with 128 + n for a signal. */
  readonly waits: boolean
}

/** Variables that a shell makes by itself. */
const shellVariables = ["PWD", "OLDPWD", "SHLVL", "_", "PATH"]

/** Modes of a terminal that are off until the start has been read: see {@link terminalModes}. */
const terminalOn = "stty echo icanon isig iexten icrnl ixon opost onlcr 2>/dev/null"

/** Modes of a terminal during the start: input is neither echoed nor changed. */
export const terminalModes = { ECHO: 0, ICANON: 0, ISIG: 0, IEXTEN: 0, ICRNL: 0, IXON: 0, OPOST: 0, ONLCR: 0 } as const

/** The lines that start a command, for the shell of {@link startLine}. */
export const startText = (nonce: string, start: RemoteStart): string => {
  const { args, clearWith, directory, env, limits, program, variables, waits } = start
  const parts: Array<string> = []
  if (start.terminal) parts.push(terminalOn)
  const words = [program, ...args, directory ?? "", ...variables.flatMap(([name, value]) => [name, value ?? ""])]
  if (words.some((word) => word.includes("\n"))) parts.push(`_slb=$(printf '\\nx'); _slb=\${_slb%x}`)
  const all: ReadonlyArray<readonly [name: string, value: string | null]> = [
    ...variables,
    ["SLUICE_RUN", start.marker],
  ]
  // Before the variables: a PATH of the command must not choose the programs that set its limits.
  parts.push(...limits)
  const named = all.filter(([name]) => isShellName(name))
  parts.push(...named.filter(([name]) => name !== "IFS").map(assignInLine))
  if (directory !== undefined) parts.push(`_slw ${quoteInLine(directory)}`)
  if (start.localBin) parts.push(`_sla "$PWD"`)
  parts.push(`_slr ${quoteInLine(program)}`, `set -- ${args.map(quoteInLine).join(" ")}`)
  // The search in PATH has an IFS of its own.
  parts.push(...named.filter(([name]) => name === "IFS").map(assignInLine))
  const dropped = clearWith === undefined
    ? []
    : shellVariables.filter((name) => !variables.some(([each, value]) => each === name && value !== null))
  const others = all.filter(([name]) => !isShellName(name))
  const assignments = [
    ...[...dropped, ...others.flatMap(([name, value]) => value === null ? [name] : [])].map((name) =>
      `-u ${quoteInLine(name)}`
    ),
    ...others.flatMap(([name, value]) => value === null ? [] : [quoteInLine(`${name}=${value}`)]),
  ]
  const wrapper = assignments.length === 0 ? "" : `${quoteInLine(env)} ${assignments.join(" ")} `
  // env(1) would set a variable, and run the first argument.
  if (wrapper !== "") parts.push("case $_slp in *=*) _slf program EINVAL ;; esac")
  const redirections = `${start.hasInput || start.terminal ? "" : " </dev/null"}${start.merge ? " 2>&1" : ""}`
  // A failed exec ends a shell; bash needs an option to go on to the trap.
  if (!waits) parts.push(`[ -z "$BASH_VERSION" ] || shopt -s execfail 2>/dev/null; trap _slx 0`)
  // Output of start-up files on stderr comes before this line. It lacks the nonce, because a server may send stderr to
  // stdout.
  if (!start.merge && !start.terminal) parts.push(`echo "$SLUICE_RUN" >&2`)
  // A path may have line ends.
  parts.push(`printf '%s ok %s\\n%s\\n' "$_sln" "$_slp" "$_sln"`)
  parts.push(
    waits
      // Without its messages about signals.
      // A signal for the tree is one for the command, whose exit sh waits for.
      ? `trap : HUP INT QUIT TERM; exec 3>&2 2>/dev/null; ${wrapper}"$_slp" "$@" 2>&3 3>&-${redirections}; exit $?`
      : `exec ${wrapper}"$_slp" "$@"${redirections}; exit $?`,
  )
  const line = parts.join("; ")
  if (clearWith === undefined) return `${line}\n`
  // A second shell, in an empty environment.
  const second = `_sln=${nonce}; ${functions}; IFS= read -r _sll || exit 255; eval "$_sll"`
  return `exec ${quoteInLine(clearWith)} -i SLUICE_RUN=${start.marker} /bin/sh -c ${quoteInLine(second)}\n${line}\n`
}
