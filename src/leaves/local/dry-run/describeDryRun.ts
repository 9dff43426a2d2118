/** Describes a planned command as text: command line, directory, environment, stdin, timeouts and limits. */
import * as Duration from "effect/Duration"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as CommandLine from "effect/process/CommandLine"
import { utf8Length } from "../../../base/utf8.ts"
import type { CommandLimits } from "../../../command/CommandLimits.ts"
import type { Word } from "../../../command/Secret.ts"
import type { ShellExec } from "../../../command/ShellExec.ts"
import { isPortable } from "../../../shell/portableShell.ts"
import type { LocalShellSettings } from "../LocalShellOptions.ts"
import { baseName, type Platform } from "../../../host/paths.ts"

/** A planned command. */
export interface DryRunPlan {
  readonly exec: ShellExec
  readonly executable: string
  readonly platform: Platform
  readonly settings: LocalShellSettings
  /** The directory it would run in, as far as that is known. */
  readonly directory: string | undefined
  readonly stdin: "closed" | "input" | "stream"
}

// A script of cmd.exe may contain control characters, which must not move the reader's cursor.
const visible = (text: string): string =>
  // deno-lint-ignore no-control-regex
  text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, (found) =>
    `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`)

const lineOf = ({ exec, executable, platform }: DryRunPlan): string => {
  const show = (...words: ReadonlyArray<Word>): string => CommandLine.display(words, { format: platform })
  const line = !exec.useShell
    ? show(executable, ...exec.arguments)
    : platform === "posix" || isPortable(exec)
    ? show(executable, "-c", exec.command, ...(exec.arguments.length === 0 ? [] : [executable, ...exec.arguments]))
    : /^cmd(\.exe)?$/i.test(baseName(platform, executable))
    // cmd.exe takes the text between the first and the last quote literally.
    ? `${show(executable)} /d /s /c "${visible(exec.command)}"`
    : show(executable, "-Command", exec.command)
  return exec.mergeStreams === true ? `${line} 2>&1` : line
}

const value = (word: Word, platform: Platform): string =>
  Redacted.isRedacted(word)
    ? "<redacted>"
    // It fails only for a NUL, which no planned command contains.
    : visible(Result.getOrElse(CommandLine.quote(word, { format: platform }), () => ""))

const environmentOf = ({ exec, platform, settings }: DryRunPlan): string => {
  const entries = Object.entries(exec.environment ?? {})
  const set = entries.flatMap(([name, word]) => word === null ? [] : [`${name}=${value(word, platform)}`])
  const removed = entries.flatMap(([name, word]) => word === null ? [name] : [])
  const inherits = exec.inheritEnvironment ?? settings.extendEnv
  const alone = set.length === 0 ? "nothing" : `nothing but ${set.join(" ")}`
  return [
    ...(inherits ? set.length === 0 ? [] : [set.join(" ")] : [alone]),
    ...(inherits && removed.length > 0 ? [`without ${removed.join(" ")}`] : []),
    ...(exec.localBin ?? settings.localBin ? ["node_modules/.bin of the directory and its parents first on PATH"] : []),
  ].join(", ")
}

const stdinOf = ({ exec: { input }, stdin }: DryRunPlan): string => {
  if (stdin === "closed") return "closed"
  if (stdin === "stream" || input === undefined) return "a stream"
  if (Redacted.isRedacted(input)) return "<redacted>"
  return `${typeof input === "string" ? utf8Length(input) : input.length} bytes`
}

const graceOf = ({ exec, platform, settings }: DryRunPlan): string => {
  const grace = exec.grace ?? settings.grace
  return platform === "windows" || Duration.isZero(grace)
    ? "then the whole tree is killed"
    : `then SIGTERM to the whole tree, and SIGKILL after ${Duration.format(grace)}`
}

const timeoutOf = (described: DryRunPlan): string => {
  const { exec, settings } = described
  const total = exec.timeout === undefined ? settings.timeoutMillis : Duration.toMillis(exec.timeout)
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

const limitsOf = ({ exec: { limits } }: DryRunPlan): string =>
  limitNames.flatMap(([name, show]) => {
    const limit = limits?.[name]
    return limit === undefined ? [] : [show(limit)]
  }).join(", ")

/** Formats the command line, followed by the lines that have text. */
export const describeDryRun = (described: DryRunPlan): string => {
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
