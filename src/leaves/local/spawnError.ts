/**
 * What a runtime throws when it cannot start a process, as a fault.
 *
 * @module
 */
import * as Redacted from "effect/Redacted"
import { reveal } from "../../command/Secret.ts"
import type { ShellExec } from "../../command/ShellExec.ts"
import { ShellFault } from "../../command/ShellFault.ts"
import { errorCode } from "./errorCode.ts"
import { explanations, type SpawnContext, textOf, unknown } from "./spawnFindings.ts"

export type { SpawnContext } from "./spawnFindings.ts"

// A runtime repeats the argument that it refuses.
const withoutSecrets = (text: string, exec: ShellExec): string => {
  let safe = text.replace(/Received [^]*$/, "Received <not shown>")
  const words = [...exec.arguments, ...Object.values(exec.environment ?? {}), exec.input]
  for (const word of words) {
    const secret = Redacted.isRedacted(word) ? reveal(word) : undefined
    if (secret !== undefined && secret !== "") safe = safe.replaceAll(secret, "<redacted>")
  }
  return safe
}

/**
 * The fault of an `error` that `Deno.Command`, `Bun.spawn` or `node:child_process` threw. It never throws itself;
 * what nobody knows is `Unknown` with what the runtime said in `exception` (without the command's secrets).
 *
 * ENOENT and ENOTDIR say the same of a program, of its interpreter and of the working directory: the context says
 * which is there (on Bun and Node nothing else does).
 *
 * Source: execve(2), fork(2), posix_spawn(3).
 */
export const faultOfSpawnError = (error: unknown, context: SpawnContext): ShellFault => {
  if (error instanceof ShellFault) return error
  const { exec, executable } = context
  const code = errorCode(error, context.platform ?? "posix") ?? "UNKNOWN"
  const explain = Object.hasOwn(explanations, code) ? explanations[code] : undefined
  const { issue, reason } = (explain ?? unknown)(context, code, error)
  const shown = "code" in reason && reason.code !== undefined ? reason.code : code
  return ShellFault.because(exec.commandId, reason, `exec: ${issue} (${shown})`, {
    executable,
    exception: withoutSecrets(textOf(error), exec),
  })
}

/**
 * The interpreter that the first line of a script names, of the first bytes of the file (256 do, execve(2)).
 * It ends with `\r` when the script came with the line ends of Windows: then there is no such interpreter.
 */
export const scriptInterpreter = (head: string): string | undefined => /^#![ \t]*([^ \t\n]+)/.exec(head)?.[1]
