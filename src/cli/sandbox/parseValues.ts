/**
 * Parses the flag values of `sluice sandbox`: programs, mounted folders, origins and limits. Each failure is one line.
 */
import * as Result from "effect/Result"
import { limitsParser, parseBytes, parseCountFrom, type Parsed } from "../parseValues.ts"

/** A folder of the host, and its path and mode in the sandbox. */
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

/** The limits of a sandbox under the names of its options, but `memoryBytes` and `outputBytes`. */
export type SandboxLimits = Readonly<
  Partial<
    Record<
      | "memoryBytes"
      | "maxTotalFileBytes"
      | "maxFiles"
      | "outputBytes"
      | "maxProcesses"
      | "maxDescriptors"
      | "maxPipes",
      number
    >
  >
>

/** Parses a program, `NAME=FILE`. */
export const parseProgram = (text: string): Parsed<ProgramFile> => {
  const at = text.indexOf("=")
  const [name, file] = [text.slice(0, Math.max(0, at)), text.slice(at + 1)]
  return name === "" || file === "" || name.includes("/")
    ? Result.fail(`"${text}" is not a program; write NAME=FILE.wasm, as in jq=build/jq.wasm`)
    : Result.succeed({ name, file })
}

/** Parses a mount: `DIR`, `DIR:ro`, `DIR=/path` or `DIR:overlay=/path`. */
export const parseMount = (text: string): Parsed<Mount> => {
  const at = text.lastIndexOf("=/")
  const before = at < 0 ? text : text.slice(0, at)
  const [, folder = before, mode] = /^(.*):(rw|ro|overlay)$/s.exec(before) ?? []
  if (folder === "") return Result.fail(`"${text}" names no folder; write DIR, DIR:ro, DIR:overlay or DIR:ro=/path`)
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
})

/** Parses an origin such as `https://example.org`, without a path. */
export const parseOrigin = (text: string): Parsed<string> => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url !== undefined && /^https?:$/.test(url.protocol) && (text === url.origin || text === `${url.origin}/`)
    ? Result.succeed(url.origin)
    : Result.fail(`"${text}" is not an origin; write https://HOST or http://HOST:PORT, without a path`)
}
