/**
 * Parses the flags of `sluice sandbox` into a typed request.
 *
 * @module
 */
import * as Result from "effect/Result"
import { UsageError } from "../UsageError.ts"
import { parseBytes, parsePositiveDuration, parseVariables } from "../parseValues.ts"

/** The words of a `sluice sandbox` command line. */
export interface SandboxWords {
  readonly flags: ReadonlyMap<string, ReadonlyArray<string>>
  /** The script and its arguments. */
  readonly words: ReadonlyArray<string>
}

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

/** Limits by name; sizes in bytes. */
export type LimitName = "memory" | "disk" | "files" | "output" | "processes" | "descriptors" | "pipes"

/** A script to run. */
export interface SandboxRequest {
  readonly script: string
  readonly args: ReadonlyArray<string>
  readonly programs: ReadonlyArray<ProgramFile>
  /** Whether WASI programs run in workers. */
  readonly isolate: boolean
  readonly mounts: ReadonlyArray<Mount>
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string | undefined
  /** Timeout in milliseconds. */
  readonly timeout: number | undefined
  readonly limits: Readonly<Partial<Record<LimitName, number>>>
  readonly origins: ReadonlyArray<string>
}

type Parsed<A> = Result.Result<A, string>

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

const parseCount = (text: string): Parsed<number> =>
  /^\d+$/.test(text) && Number.isSafeInteger(Number(text))
    ? Result.succeed(Number(text))
    : Result.fail(`"${text}" is not a whole number`)

const limitParsers: Readonly<Record<LimitName, (text: string) => Parsed<number>>> = {
  memory: parseBytes,
  disk: parseBytes,
  files: parseCount,
  output: parseBytes,
  processes: parseCount,
  descriptors: parseCount,
  pipes: parseCount,
}

const isLimit = (name: string): name is LimitName => Object.hasOwn(limitParsers, name)

/** Parses limits such as `memory=512M,processes=64`, given once or several times. */
export const parseSandboxLimits = (texts: ReadonlyArray<string>): Parsed<SandboxRequest["limits"]> => {
  const found: Partial<Record<LimitName, number>> = {}
  for (const part of texts.flatMap((text) => text.split(","))) {
    const at = part.indexOf("=")
    const name = part.slice(0, Math.max(0, at))
    if (!isLimit(name)) {
      return Result.fail(
        `"${part}" is not a limit; the limits are ${Object.keys(limitParsers).join(", ")}, as in processes=64`,
      )
    }
    if (found[name] !== undefined) return Result.fail(`"${name}" is given twice`)
    const parsed = limitParsers[name](part.slice(at + 1))
    if (Result.isFailure(parsed)) return Result.fail(`${name}: ${parsed.failure}`)
    if (parsed.success < 1) return Result.fail(`${name}: "${part.slice(at + 1)}" is less than 1`)
    found[name] = parsed.success
  }
  return Result.succeed(found)
}

/** Parses an origin such as `https://example.org`, without a path. */
export const parseOrigin = (text: string): Parsed<string> => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url !== undefined && /^https?:$/.test(url.protocol) && (text === url.origin || text === `${url.origin}/`)
    ? Result.succeed(url.origin)
    : Result.fail(`"${text}" is not an origin; write https://HOST or http://HOST:PORT, without a path`)
}

const parseFolder = (text: string): Parsed<string> => text === "" ? Result.fail("is empty") : Result.succeed(text)

const nothing: ReadonlyArray<string> = []

/** Parses the values of the flags. */
export const readSandboxRequest = ({ flags, words }: SandboxWords): Result.Result<SandboxRequest, UsageError> => {
  const texts = (flag: string): ReadonlyArray<string> => flags.get(flag) ?? nothing
  const read = <A>(flag: string, parsed: Parsed<A>): Result.Result<A, UsageError> =>
    Result.mapError(parsed, (problem) => new UsageError(`--${flag}: ${problem}`))
  const each = <A>(flag: string, parse: (text: string) => Parsed<A>) => read(flag, Result.all(texts(flag).map(parse)))
  const one = <A>(flag: string, parse: (text: string) => Parsed<A>): Result.Result<A | undefined, UsageError> => {
    const [text] = texts(flag)
    return text === undefined ? Result.succeed(undefined) : read(flag, parse(text))
  }
  return Result.gen(function* () {
    const [script = "", ...args] = words
    return {
      script,
      args,
      programs: yield* each("program", parseProgram),
      isolate: flags.has("isolate"),
      mounts: yield* each("mount", parseMount),
      env: yield* read("env", parseVariables(texts("env"))),
      cwd: yield* one("cwd", parseFolder),
      timeout: yield* one("timeout", parsePositiveDuration),
      limits: yield* read("limit", parseSandboxLimits(texts("limit"))),
      origins: yield* each("network", parseOrigin),
    }
  })
}
