/** Describes `sluice sandbox`: its help, its flags and how their values are parsed. */
import * as Result from "effect/Result"
import { quote } from "../../base/quote.ts"
import type { CommandSpec } from "../CommandSpec.ts"
import { combinedFlag, type FlagTable, listFlag, switchFlag, valueFlag } from "../FlagSpec.ts"
import {
  limitsParser,
  parseBytes,
  parseCountFrom,
  type Parsed,
  parseNonEmpty,
  parsePositiveDuration,
  parseVariables,
} from "../parseValues.ts"

export interface Mount {
  readonly folder: string
  readonly mode: "rw" | "ro" | "overlay"
  /** Its path in the sandbox. Default: its path on the host. */
  readonly path: string | undefined
}

/** A WASI program in a file of the host. */
export interface ProgramFile {
  readonly name: string
  readonly file: string
}

/** The limits of a sandbox under the names of its options, except `memoryBytes` and `outputBytes`. */
export type SandboxLimits = Readonly<
  Partial<
    Record<
      | "memoryBytes"
      | "maxTotalFileBytes"
      | "maxFiles"
      | "outputBytes"
      | "maxProcesses"
      | "maxDescriptors"
      | "maxPipes"
      | "maxLineBytes"
      | "maxValueBytes",
      number
    >
  >
>

/** Parses a program, `NAME=FILE`. */
export const parseProgram = (text: string): Parsed<ProgramFile> => {
  const at = text.indexOf("=")
  const [name, file] = [text.slice(0, Math.max(0, at)), text.slice(at + 1)]
  return name === "" || file === "" || name.includes("/")
    ? Result.fail(`${quote(text)} is not a program; write NAME=FILE.wasm, as in lua=build/lua.wasm`)
    : Result.succeed({ name, file })
}

/** Parses a mount: `DIR`, `DIR:ro`, `DIR=/path` or `DIR:overlay=/path`. */
export const parseMount = (text: string): Parsed<Mount> => {
  const at = text.lastIndexOf("=/")
  const before = at < 0 ? text : text.slice(0, at)
  const [, folder = before, mode] = /^(.*):(rw|ro|overlay)$/s.exec(before) ?? []
  if (folder === "") {
    return Result.fail(`${quote(text)} names no folder; write DIR, DIR:ro, DIR:overlay or DIR:ro=/path`)
  }
  return Result.succeed({
    folder,
    mode: mode === "ro" || mode === "overlay" ? mode : "rw",
    path: at < 0 ? undefined : text.slice(at + 1),
  })
}

const parseCount = parseCountFrom(0)

/** Parses limits such as `memory=512M,processes=64`, given once or several times. */
export const parseSandboxLimits: (texts: ReadonlyArray<string>) => Parsed<SandboxLimits> = limitsParser({
  memory: ["memoryBytes", parseBytes],
  disk: ["maxTotalFileBytes", parseBytes],
  files: ["maxFiles", parseCount],
  output: ["outputBytes", parseBytes],
  processes: ["maxProcesses", parseCount],
  descriptors: ["maxDescriptors", parseCount],
  pipes: ["maxPipes", parseCount],
  line: ["maxLineBytes", parseBytes],
  values: ["maxValueBytes", parseBytes],
})

/** Parses an origin such as `https://example.org`, without a path. */
export const parseOrigin = (text: string): Parsed<string> => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url !== undefined && /^https?:$/.test(url.protocol) && (text === url.origin || text === `${url.origin}/`)
    ? Result.succeed(url.origin)
    : Result.fail(`${quote(text)} is not an origin; write https://HOST or http://HOST:PORT, without a path`)
}

export interface SandboxFlags {
  readonly program: ReadonlyArray<ProgramFile>
  readonly isolate: boolean
  readonly mount: ReadonlyArray<Mount>
  readonly env: Readonly<Record<string, string>> | undefined
  readonly cwd: string | undefined
  /** Time in milliseconds. */
  readonly timeout: number | undefined
  readonly limit: SandboxLimits | undefined
  /** Origins that programs may send requests to. */
  readonly network: ReadonlyArray<string>
}

export const sandboxFlags: FlagTable<SandboxFlags> = {
  "program": listFlag(
    "NAME=FILE",
    "Provide a WASI program (.wasm file of this machine) as the command NAME; repeatable",
    parseProgram,
  ),
  "isolate": switchFlag("Run WASI programs in workers, so that --timeout and Ctrl-C also end those in a busy loop"),
  "mount": listFlag(
    "DIR[:MODE][=PATH]",
    "Mount a folder of this machine at PATH (default: its own path). MODE: rw (default), ro (read-only), overlay (changes stay in memory and are discarded); repeatable",
    parseMount,
  ),
  "env": combinedFlag("K=V", "Set an environment variable of the script; repeatable", parseVariables),
  "cwd": valueFlag("DIR", "Working directory in the sandbox. Default: the first mount, else /home/user", parseNonEmpty),
  "timeout": valueFlag(
    "D",
    "Kill everything after this time, as in 500ms, 5s or 2m. Default: none",
    parsePositiveDuration,
  ),
  "limit": combinedFlag(
    "NAME=N",
    "Limits, comma-separated: memory=512M (of a WASI program), disk=1G and files=1000 (in memory), output=64M, processes=64, descriptors=256, pipes=64, line=8M (lines that utilities hold), values=512M (of shells, awk and jq); repeatable",
    parseSandboxLimits,
  ),
  "network": listFlag(
    "ORIGIN",
    "Allow curl, wget and WASI programs to send requests to this origin, such as https://example.org; repeatable. Default: none",
    parseOrigin,
  ),
}

export const sandboxSpec: CommandSpec = {
  name: "sandbox",
  short: "Run a script in a sandbox",
  about: `Run a script in an in-process sandbox: a shell with pipes, signals and the usual utilities.

  The sandbox has no access to this machine except through --mount and --program; files are in memory and discarded at
  the end. The arguments after SCRIPT are its $1, $2, ….

  Exit status: that of the script; 128+n if signal n ended it; 124 timed out; 153 output limit exceeded; 125 any other
  failure of sluice itself, including a usage error. Ctrl-C is sent to the script; a second Ctrl-C kills everything.`,
  operand: { name: "SCRIPT", about: "The script and its arguments", min: 1, max: Infinity, isVerbatim: true },
  flags: sandboxFlags,
  examples: [
    ["sluice sandbox 'seq 100 | grep 7 | wc -l'", "Processes in memory"],
    ["sluice sandbox --mount .:ro 'grep -rn TODO src | sort | head'", "Files, read-only"],
    ["sluice sandbox --program lua=lua.wasm --timeout 5s 'lua main.lua'", "A WASI program"],
  ],
}
