import * as Schema from "effect/Schema"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"

export interface ScriptOptions {
  /** Permissions on Deno. Default: all. */
  readonly permissions?: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
  /** What goes before the runtime, such as `["/usr/bin/prlimit", "--nofile=64"]`. */
  readonly before?: ReadonlyArray<string>
}

export interface ScriptResult {
  readonly code: number | string | null
  readonly stdout: string
  readonly stderr: string
}

/** Node 22 warns on stderr that SQLite and its types are experimental. */
const nodeArgs = ["--disable-warning=ExperimentalWarning"]

const runtimeArgs = (permissions: ReadonlyArray<string>): ReadonlyArray<string> => {
  if ("Deno" in globalThis) return ["run", "--no-prompt", ...permissions]
  return process.versions.node.startsWith("22.") && !("Bun" in globalThis) ? nodeArgs : []
}

/** Runs a TypeScript file of the tests by the runtime that runs them; ended by force when it takes a minute. */
export const runScript = (
  file: URL,
  args: ReadonlyArray<string> = [],
  { before = [], env, permissions = ["-A"] }: ScriptOptions = {},
): Promise<ScriptResult> => {
  const line = [...before, process.execPath, ...runtimeArgs(permissions), fileURLToPath(file), ...args]
  const [program = "", ...rest] = line
  return new Promise((resolve) => {
    execFile(
      program,
      rest,
      { encoding: "utf8", timeout: 60_000, killSignal: "SIGKILL", ...(env === undefined ? undefined : { env }) },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : error.killed === true ? "took too long" : error.code ?? null
        resolve({ code, stdout, stderr })
      },
    )
  })
}

/** Runs a script that prints one line of JSON and nothing else; what it printed, by its schema. */
export const scriptAnswer = async <T, E>(
  schema: Schema.Codec<T, E>,
  file: URL,
  args: ReadonlyArray<string> = [],
  options: ScriptOptions = {},
): Promise<T> => {
  const { code, stderr, stdout } = await runScript(file, args, options)
  if (code !== 0 || stderr !== "") throw new Error(`the script ended with ${code}: ${stderr}`)
  return Schema.decodeUnknownSync(Schema.fromJsonString(schema))(stdout)
}
