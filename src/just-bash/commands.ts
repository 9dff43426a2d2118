/** Makes commands of functions as just-bash declares them: whole texts in, whole texts out. */
import { concatBytes } from "../base/bytes.ts"
import { binaryToBytes, bytesToBinary } from "../kernel/binaryString.ts"
import type { Extension } from "../kernel/public/Extension.ts"
import type { InMemoryFs } from "./fileSystem.ts"
import type { BashExecResult, ExecOptions, ExecResult } from "./types.ts"

/** The call of a custom command, besides its arguments. */
export interface CommandContext {
  /** The files of the `Bash`. */
  readonly fs: InMemoryFs
  /** Working directory of the command. */
  readonly cwd: string
  /** Exported variables. */
  readonly env: Map<string, string>
  /** The whole stdin, with one character for each byte. */
  readonly stdin: string
  /** Aborted when the command is killed. */
  readonly signal: AbortSignal
  /** Runs a script with the variables of the command. */
  readonly exec: (script: string, options?: ExecOptions) => Promise<BashExecResult>
  /** Returns the names of all commands. */
  readonly getRegisteredCommands: () => Array<string>
}

/** A custom command. */
export interface Command {
  /** Its name. */
  readonly name: string
  /** Runs it. An error that it throws is written to stderr, and the exit code is 1. */
  execute(args: Array<string>, context: CommandContext): Promise<ExecResult>
}

/** A custom command, or one that is loaded at its first use. */
export type CustomCommand = Command | { readonly name: string; readonly load: () => Promise<Command> }

/**
 * Makes a custom command of a function.
 *
 * @example
 * ```ts
 * import { Bash, defineCommand } from "@sluice/shell/just-bash"
 *
 * const upper = defineCommand("upper", async (args, { fs }) => {
 *   return { stdout: (await fs.readFile(args[0] ?? "")).toUpperCase(), stderr: "", exitCode: 0 }
 * })
 * const bash = new Bash({ files: { "/a.txt": "hello\n" }, customCommands: [upper] })
 * console.log((await bash.exec("upper /a.txt | rev")).stdout) // OLLEH
 * ```
 */
export const defineCommand = (name: string, execute: Command["execute"]): Command => ({ name, execute })

/** Bytes of stdin that a custom command gets; more is an error. */
const maxInputBytes = 67_108_864

const readAll = async (stdin: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<string> => {
  const parts: Array<Uint8Array> = []
  let total = 0
  for await (const part of stdin) {
    total += part.length
    if (total > maxInputBytes) throw new Error(`stdin has more than ${maxInputBytes} bytes`)
    parts.push(part)
  }
  return bytesToBinary(concatBytes(parts, total))
}

/** Makes an extension of a custom command. */
export const extensionOf = (
  command: CustomCommand,
  context: Pick<CommandContext, "exec" | "fs" | "getRegisteredCommands">,
): Extension =>
async (args, stdin, { cwd, env, signal }) => {
  const { execute } = "load" in command ? await command.load() : command
  const { exec } = context
  const { exitCode, stderr, stdout, stdoutKind } = await execute([...args], {
    ...context,
    cwd,
    env: new Map(Object.entries(env)),
    stdin: await readAll(stdin),
    signal,
    exec: (script, options = {}) => exec(script, { cwd, signal, ...options, env: { ...env, ...options.env } }),
  })
  return { exitCode, stderr, stdout: stdoutKind === "bytes" ? binaryToBytes(stdout) : stdout }
}
