/** Runs a program to its end with its output, for the leaf's own use. */
import type { ByteReader, ExitStatus } from "../shell/SpawnedProcess.ts"
import type { Host, SpawnRequest } from "./Host.ts"

const maxOutputBytes = 4 * 1024 * 1024

/** Time after which the program is killed, where the caller names none. */
const defaultMaxMillis = 60_000

export interface EndedProgram extends ExitStatus {
  readonly stdout: string
  readonly stderr: string
}

/** Reads a pipe to its end; keeps the first bytes. */
export const readText = (pipe: ByteReader | undefined): Promise<string> =>
  new Promise((resolve) => {
    if (pipe === undefined) return resolve("")
    const decoder = new TextDecoder()
    let text = ""
    let kept = 0
    const next = (): void =>
      pipe.read((bytes) => {
        if (bytes === undefined) return resolve(text + decoder.decode())
        if (kept < maxOutputBytes) text += decoder.decode(bytes.subarray(0, maxOutputBytes - kept), { stream: true })
        kept += bytes.length
        next()
      })
    next()
  })

/** Runs a program. Rejects with the runtime's error if it cannot be started. */
export const runToEnd = async (
  host: Host,
  request: Pick<SpawnRequest, "file" | "args" | "env" | "cwd">,
  maxMillis: number = defaultMaxMillis,
): Promise<EndedProgram> => {
  const process = await host.spawn({
    ...request,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    detached: false,
    verbatim: false,
  })
  const timer = setTimeout(() => process.kill("SIGKILL"), maxMillis)
  const exited = new Promise<ExitStatus>(process.onExit)
  const [stdout, stderr, status] = await Promise.all([readText(process.stdout), readText(process.stderr), exited])
  clearTimeout(timer)
  return { ...status, stdout, stderr }
}
