/** Runs a command of an engine to its end, for the leaf's own use, and returns its exit code and bounded output. */
import * as Effect from "effect/Effect"
import { nodeBuiltins } from "../../base/nodeBuiltins.ts"
import { errorCode } from "../../host/faults/errorCode.ts"
import type { Host, HostProcess, SpawnRequest } from "../../host/Host.ts"
import { runToEnd } from "../../host/runToEnd.ts"

/** The end of a command of an engine. `code` is the error code of a program that cannot be started. */
export interface EngineResult {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
  readonly code?: string | undefined
}

/**
 * The directory of clients: conmon leaves a file `oom` in it when a container has reached its limit of memory, and no file can
 * be made here.
 */
const clientDirectory = (): string => nodeBuiltins()?.platform === "linux" ? "/proc" : "/"

/** Time that a client gets to end by itself. */
export const closeMillis = 5_000

export const clientRequest = (file: string, args: ReadonlyArray<string>): SpawnRequest => ({
  file,
  args,
  cwd: clientDirectory(),
  env: undefined,
  stdin: "piped",
  stdout: "piped",
  stderr: "piped",
  detached: false,
  verbatim: false,
})

/** Starts a client. Rejects with the runtime's error. */
export const startClient = async (host: Host, file: string, args: ReadonlyArray<string>): Promise<HostProcess> =>
  await host.spawn(clientRequest(file, args))

/** Runs a command. Never fails: a program that cannot be started has the exit code -1 and an error code. */
export const runEngine = (host: Host, file: string, args: ReadonlyArray<string>): Effect.Effect<EngineResult> =>
  Effect.promise(async () => {
    try {
      return await runToEnd(host, { file, args, cwd: clientDirectory(), env: undefined })
    } catch (error) {
      const code = errorCode(error, "posix") ?? "UNKNOWN"
      return { exitCode: -1, stdout: "", stderr: String(error), code }
    }
  })
