/** Everyday scripts of coding agents: the scripts, the project that they run in, the answers of bash, and our own. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import type { OptionError } from "../../../src/base/OptionError.ts"
import { Sandbox } from "../../../src/sandbox/mod.ts"
import { FileType } from "../../../src/kernel/Stat.ts"

/** The result of a script. */
export const Answer = Schema.Struct({
  stdout: Schema.String,
  exitCode: Schema.Int,
  /** Whether anything was written to stderr. */
  hasStderr: Schema.Boolean,
  /** Files that are new or different, as `describe` describes them; `null` for those that are gone. */
  files: Schema.Record(Schema.String, Schema.NullOr(Schema.String)),
})
export type Answer = typeof Answer.Type

const Recorded = Schema.Struct({ recordedFrom: Schema.String, answers: Schema.Record(Schema.String, Answer) })

const textOf = (name: string): string => readFileSync(new URL(name, import.meta.url), "utf8")

/** The answers that `record.mjs` wrote. */
export const readAnswers = (): Readonly<Record<string, Answer>> =>
  Schema.decodeUnknownSync(Schema.fromJsonString(Recorded))(textOf("recorded.json")).answers

/** Scripts whose answer is not that of bash, with the reason. */
export const readDifferences = (): Readonly<Record<string, string>> =>
  Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Record(Schema.String, Schema.String)))(
    textOf("differences.json"),
  )

/** Each script by its name. */
export const scripts: ReadonlyMap<string, string> = new Map(
  readdirSync(new URL("scripts", import.meta.url)).sort()
    .map((file) => [file.slice(0, -".sh".length), textOf(`scripts/${file}`)]),
)

/** Files of the project, by their paths in it. */
export const project: Readonly<Record<string, string>> = Object.fromEntries(
  textOf("fixture.txt").split(/^-- (?=\S+(?: \S+)? --$)/m).slice(1).map((part) => {
    const end = part.indexOf(" --\n")
    return [part.slice(0, end), part.slice(end + " --\n".length)]
  }),
)

/** The working directory of the scripts, and their environment. */
export const cwd = "/project"
export const env: Readonly<Record<string, string>> = {
  HOME: "/home/user",
  LC_ALL: "C.UTF-8",
  PATH: "/usr/local/bin:/usr/bin:/bin",
  TZ: "UTC",
  USER: "user",
}

/** A file as the answers have it: its text, or its digest where that is long. Archives differ in each implementation. */
export const describe = (path: string, bytes: Uint8Array): string => {
  if (/\.(?:t?gz|tar|zip)$/.test(path)) return "(archive)"
  const text = new TextDecoder().decode(bytes)
  return text.length <= 400 && !text.includes("\ufffd")
    ? text
    : `sha256 ${createHash("sha256").update(bytes).digest("hex")}`
}

/** What `after` changed of the project; links are described as `-> target`. */
export const changesOf = (after: Readonly<Record<string, string>>): Answer["files"] => {
  const before = Object.fromEntries(
    Object.entries(project).map(([path, text]) => [path, describe(path, new TextEncoder().encode(text))]),
  )
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
  return Object.fromEntries(
    paths.filter((path) => before[path] !== after[path]).map((path) => [path, after[path] ?? null]),
  )
}

const filesIn = (
  sandbox: Sandbox.SandboxService,
  folder: string,
): Effect.Effect<ReadonlyArray<readonly [path: string, content: string]>, Sandbox.SandboxError | OptionError> =>
  Effect.gen(function* () {
    const found: Array<readonly [string, string]> = []
    for (const { name, type } of yield* sandbox.list(folder)) {
      const path = `${folder}/${name}`
      const relative = path.slice(cwd.length + 1)
      if (type === FileType.directory) found.push(...yield* filesIn(sandbox, path))
      else if (type === FileType.symbolicLink) {
        found.push([relative, `-> ${sandbox.fileSystem.readlink(sandbox.fileSystem.root, path)}`])
      } else if (type === FileType.regularFile) found.push([relative, describe(path, yield* sandbox.readFile(path))])
    }
    return found
  })

/** Runs a script in a sandbox of its own. */
export const runInSandbox = (script: string): Effect.Effect<Answer, Sandbox.SandboxError | OptionError> =>
  Effect.gen(function* () {
    const files = Object.fromEntries(Object.entries(project).map(([path, text]) => [`${cwd}/${path}`, text]))
    const sandbox = yield* Sandbox.make({ files, cwd, env })
    const { exitCode, stderr, stdout } = yield* sandbox.run(script, { timeout: "60 seconds" })
    const after = Object.fromEntries(yield* filesIn(sandbox, cwd))
    return { stdout, exitCode, hasStderr: stderr !== "", files: changesOf(after) }
  }).pipe(Effect.scoped)
