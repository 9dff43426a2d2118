/** Turns the error of a failed process start into a fault. */
import * as Redacted from "effect/Redacted"
import { reveal } from "../../command/plain/secret.ts"
import type { ShellExec } from "../../command/ShellExec.ts"
import { ShellFault } from "../../command/plain/ShellFault.ts"
import type { Host } from "../Host.ts"
import { errorCode } from "./errorCode.ts"
import { explainUnknown, explanations, type SpawnContext, textOf } from "./spawnErrorExplanations.ts"

export type { SpawnContext } from "./spawnErrorExplanations.ts"

// A runtime's error repeats the refused argument.
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
 * The fault of an `error` that `Deno.Command`, `Bun.spawn` or `node:child_process` threw. Never throws; an unknown error is
 * `Unknown` with the runtime's text in `exception` (without the command's secrets).
 *
 * ENOENT and ENOTDIR do not show whether the program, its interpreter or the working directory is missing, so the context
 * decides.
 *
 * Source: execve(2), fork(2), posix_spawn(3).
 */
export const faultOfSpawnError = (error: unknown, context: SpawnContext): ShellFault => {
  if (error instanceof ShellFault) return error
  const { exec, executable } = context
  const code = errorCode(error, context.platform ?? "posix") ?? "UNKNOWN"
  const explain = Object.hasOwn(explanations, code) ? explanations[code] : undefined
  const { issue, reason } = (explain ?? explainUnknown)(context, code, error)
  const shown = "code" in reason && reason.code !== undefined ? reason.code : code
  return ShellFault.because(exec.commandId, reason, `exec: ${issue} (${shown})`, {
    executable,
    exception: withoutSecrets(textOf(error), exec),
  })
}

/**
 * The interpreter in the first line of a script. The interpreter ends with `\r` if the script has Windows line ends; no
 * such program exists.
 */
export const scriptInterpreter = (head: string): string | undefined => /^#![ \t]*([^ \t\n]+)/.exec(head)?.[1]

/** The interpreter of a file, if it is a script. */
export const interpreterOf = (host: Pick<Host, "readHead">, path: string): string | undefined => {
  // The kernel reads no more of a script's first line (execve(2)).
  const head = host.readHead(path, 256)
  return head === undefined ? undefined : scriptInterpreter(new TextDecoder("latin1").decode(head))
}
