/** Reads and atomically replaces the file that holds recordings. */
import * as Effect from "effect/Effect"
import { readErrorCode } from "../../base/readErrorCode.ts"
import { type NodeBuiltins, nodeBuiltins } from "../../base/nodeBuiltins.ts"
import { JournalError } from "../../journal/JournalError.ts"

const builtins = (): NodeBuiltins => {
  const found = nodeBuiltins()
  if (found === undefined) throw new Error("A Recorder keeps its recordings in a file, and needs Deno, Bun or Node.")
  return found
}

const pathOf = (file: string | URL): string =>
  typeof file === "string" ? file : builtins().getBuiltinModule("node:url").fileURLToPath(file)

const failed = (path: string, tried: string, error: unknown): JournalError => {
  const code = readErrorCode(error)
  const known = code === undefined ? undefined : { code }
  const suffix = code === undefined ? "" : ` (${code})`
  return code === "ENOENT"
    ? JournalError.because(
      { _tag: "Missing", path, ...known },
      `journal: there are no recordings at ${path}${suffix}; make them with mode "record"`,
      error,
    )
    : JournalError.because({ _tag: "Failed", ...known }, `journal: ${path} could not be ${tried}${suffix}`, error)
}

export interface FixtureFile {
  readonly path: string
  readonly exists: Effect.Effect<boolean>
  readonly read: Effect.Effect<string, JournalError>
  /** Replaces the text, completely or not at all. */
  readonly write: (text: string) => Effect.Effect<void, JournalError>
}

export const makeFixtureFile = (file: string | URL): FixtureFile => {
  const path = pathOf(file)
  const fs = builtins().getBuiltinModule("node:fs")
  const attempt = <A>(tried: string, work: () => A): Effect.Effect<A, JournalError> =>
    Effect.try({ try: work, catch: (error) => failed(path, tried, error) })
  return {
    path,
    exists: Effect.sync(() => fs.existsSync(path)),
    read: attempt("read", () => fs.readFileSync(path, "utf8")),
    write: (text) =>
      attempt("written", () => {
        const directory = path.replace(/[/\\]?[^/\\]*$/, "")
        if (directory !== "") fs.mkdirSync(directory, { recursive: true })
        const temporary = `${path}.${Math.random().toString(36).slice(2)}.tmp`
        fs.writeFileSync(temporary, text)
        fs.renameSync(temporary, path)
      }),
  }
}
