/**
 * What would be run, for a person to read.
 *
 * @module
 */
import * as Duration from "effect/Duration"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as CommandLine from "effect/process/CommandLine"
import type { CommandLimits } from "../../../command/CommandLimits.ts"
import type { Word } from "../../../command/Secret.ts"
import type { ShellExec } from "../../../command/ShellExec.ts"
import type { LocalShellSettings } from "../LocalShellOptions.ts"
import { baseName, type Platform } from "../resolve-paths.ts"

/** A command, and what is decided about it. */
export interface Described {
  readonly exec: ShellExec
  /** The file that would run. */
  readonly executable: string
  readonly platform: Platform
  readonly settings: LocalShellSettings
  /** The directory it would run in, as far as that is known. */
  readonly directory: string | undefined
  /** What it would read. */
  readonly stdin: "closed" | "input" | "stream"
}

const encoder = new TextEncoder()

// A script of cmd.exe may hold anything but a line break: nothing of it may move the cursor of who reads it.
const visible = (text: string): string =>
  // deno-lint-ignore no-control-regex
  text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, (found) =>
    `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** The command line. */
const lineOf = ({ exec, executable, platform }: Described): string => {
  const show = (...words: ReadonlyArray<Word>): string => CommandLine.display(words, { format: platform })
  const line = !exec.useShell
    ? show(executable, ...exec.arguments)
    : platform === "posix"
    ? show(executable, "-c", exec.command)
    : /^cmd(\.exe)?$/i.test(baseName(platform, executable))
    // cmd.exe takes what stands between the first and the last quote as it is.
    ? `${show(executable)} /d /s /c "${visible(exec.command)}"`
    : show(executable, "-Command", exec.command)
  return exec.mergeStreams === true ? `${line} 2>&1` : line
}

const value = (word: Word, platform: Platform): string =>
  Redacted.isRedacted(word)
    ? "<redacted>"
    // It fails for a NUL, and none is left in a command that has been planned.
    : visible(Result.getOrElse(CommandLine.quote(word, { format: platform }), () => ""))

const environmentOf = ({ exec, platform, settings }: Described): string => {
  const entries = Object.entries(exec.environment ?? {})
  const set = entries.flatMap(([name, word]) => word === null ? [] : [`${name}=${value(word, platform)}`])
  const removed = entries.flatMap(([name, word]) => word === null ? [name] : [])
  const inherits = exec.inheritEnvironment ?? settings.inheritEnvironment
  const alone = set.length === 0 ? "nothing" : `nothing but ${set.join(" ")}`
  return [
    ...(inherits ? set.length === 0 ? [] : [set.join(" ")] : [alone]),
    ...(inherits && removed.length > 0 ? [`without ${removed.join(" ")}`] : []),
    ...(exec.localBin ?? settings.localBin ? ["node_modules/.bin of the directory and its parents first on PATH"] : []),
  ].join(", ")
}

const stdinOf = ({ exec: { input }, stdin }: Described): string => {
  if (stdin === "closed") return "closed"
  if (stdin === "stream" || input === undefined) return "a stream"
  if (Redacted.isRedacted(input)) return "<redacted>"
  return `${typeof input === "string" ? encoder.encode(input).length : input.length} bytes`
}

const graceOf = ({ exec, platform, settings }: Described): string => {
  const grace = exec.grace ?? settings.gracePeriod
  return platform === "windows" || Duration.isZero(grace)
    ? "then the whole tree is killed"
    : `then SIGTERM to the whole tree, and SIGKILL after ${Duration.format(grace)}`
}

const timeoutOf = (described: Described): string => {
  const { exec, settings } = described
  const total = exec.timeout === undefined ? settings.defaultTimeoutMillis : Duration.toMillis(exec.timeout)
  const times = [
    ...(total === Infinity ? [] : [Duration.format(Duration.millis(total))]),
    ...(exec.idleTimeout === undefined ? [] : [`${Duration.format(exec.idleTimeout)} of silence`]),
  ]
  return times.length === 0 ? "" : `${times.join(" or ")}, ${graceOf(described)}`
}

const limitNames: ReadonlyArray<readonly [keyof CommandLimits, (value: number) => string]> = [
  ["memoryBytes", (value) => `${value} bytes of memory`],
  ["cpuSeconds", (value) => `${value} s of processor time`],
  ["processes", (value) => `${value} processes`],
  ["fileSizeBytes", (value) => `files of ${value} bytes`],
]

const limitsOf = ({ exec: { limits } }: Described): string =>
  limitNames.flatMap(([name, show]) => {
    const limit = limits?.[name]
    return limit === undefined ? [] : [show(limit)]
  }).join(", ")

/** Some lines: the command line, then what goes with it, where there is something to say. */
export const describe = (described: Described): string => {
  const more = [
    ["directory", visible(described.directory ?? "")],
    ["environment", environmentOf(described)],
    ["stdin", stdinOf(described)],
    ["timeout", timeoutOf(described)],
    ["limits", limitsOf(described)],
  ] as const
  const lines = more.filter(([, text]) => text !== "").map(([name, text]) => `  ${name.padEnd(12)} ${text}\n`)
  return `${lineOf(described)}\n${lines.join("")}`
}
