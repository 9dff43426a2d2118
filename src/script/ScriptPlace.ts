/** Declares where the files of a leaf's scripts are, and asks a remote leaf for its variables and folder. */
import * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { concatBytes } from "../base/bytes.ts"
import { decodeLossless } from "../base/surrogateEscape.ts"
import { ShellExec } from "../command/plain/ShellExec.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import type { ProcessRunOptions } from "../shell/ProcessLeaf.ts"
import type { ScriptLeaf } from "./HostProgram.ts"

/** The machine of a leaf whose files are those of this program. */
export interface ScriptMachine {
  readonly directory: (exec: ShellExec) => Result.Result<string, ShellFault>
  /** The variables that its commands inherit; `undefined` where they may not be read. */
  readonly variables: (exec: ShellExec) => Readonly<Record<string, string>> | undefined
}

export interface ScriptPlace {
  readonly directory: string
  readonly variables: ReadonlyMap<string, string>
}

export const commandFields = (exec: ShellExec): Partial<ShellExec> => {
  const { grace, inheritEnvironment, limits, localBin, timeout } = exec
  return {
    ...(inheritEnvironment === undefined ? undefined : { inheritEnvironment }),
    ...(localBin === undefined ? undefined : { localBin }),
    ...(timeout === undefined ? undefined : { timeout }),
    ...(grace === undefined ? undefined : { grace }),
    ...(limits === undefined ? undefined : { limits }),
  }
}

/** The output of a command of the leaf; `undefined` if it is missing there, or fails. */
const ask = (
  leaf: ScriptLeaf,
  script: ShellExec,
  { signal }: ProcessRunOptions,
  command: string,
  args: ReadonlyArray<string>,
): Effect.Effect<string | undefined, ShellFault> => {
  const { environment: _, ...fields } = commandFields(script)
  const { commandId, workingDirectory } = script
  const exec = new ShellExec({
    ...fields,
    ...{ commandId, command, arguments: args, streamOutput: true, useShell: false },
    ...(workingDirectory === undefined ? undefined : { workingDirectory }),
  })
  const parts: Array<Uint8Array> = []
  let exitCode = 1
  const run = Stream.runForEach(leaf.bytes(exec, { admission: false, signal }), (event) =>
    Effect.sync(() => {
      if (event._tag === "ShellOutput") exitCode = event.exitCode
      // A copy: the buffer is used again.
      else if (event.stream === "stdout") parts.push(event.bytes.slice())
    }))
  return run.pipe(
    Effect.map(() => exitCode === 0 ? decodeLossless(concatBytes(parts)) : undefined),
    Effect.catchTag(
      "ShellFault",
      (fault) =>
        fault.reason._tag === "NotFound" && fault.reason.what === "command" ? Effect.undefined : Effect.fail(fault),
    ),
  )
}

/** Asks the leaf where a script starts. Without `env` or `pwd` there it has no variables, and starts in `/`. */
export const askPlace = (
  leaf: ScriptLeaf,
  exec: ShellExec,
  options: ProcessRunOptions,
): Effect.Effect<ScriptPlace, ShellFault> => {
  const asked = Effect.all({
    env: ask(leaf, exec, options, "env", ["-0"]),
    pwd: exec.workingDirectory?.startsWith("/") === true
      ? Effect.succeed(exec.workingDirectory)
      : Effect.map(ask(leaf, exec, options, "pwd", []), (text) => text?.replace(/\n$/, "") ?? "/"),
  }, { concurrency: 2 })
  return Effect.interruptible(Effect.map(asked, ({ env = "", pwd }) => {
    const entries = env.split("\0").filter((entry) => entry.includes("="))
    const pairs = entries.map((entry): readonly [string, string] => {
      const at = entry.indexOf("=")
      return [entry.slice(0, at), entry.slice(at + 1)]
    })
    return { directory: pwd, variables: new Map(pairs) }
  }))
}
