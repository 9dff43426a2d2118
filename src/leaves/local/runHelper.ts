/**
 * Runs a system program to its end and returns its stdout, for the leaf's own use.
 *
 * @module
 */
import type { Host } from "./Host.ts"

const maxOutputBytes = 4 * 1024 * 1024

/** Runs a program. Returns its stdout (at most 4 MiB), or `""` if it cannot be started. */
export const runHelper = (host: Host) => async (file: string, args: ReadonlyArray<string>): Promise<string> => {
  try {
    const child = await host.spawn({
      file,
      args,
      cwd: undefined,
      env: undefined,
      stdin: "null",
      stdout: "piped",
      stderr: "null",
      detached: false,
      verbatim: false,
    })
    const decoder = new TextDecoder()
    let text = ""
    const exited = new Promise<void>((resolve) => child.onExit(() => resolve()))
    for (;;) {
      const bytes = await new Promise<Uint8Array | undefined>((resolve) => {
        if (child.stdout === undefined) resolve(undefined)
        else child.stdout.read(resolve)
      })
      if (bytes === undefined || text.length > maxOutputBytes) break
      text += decoder.decode(bytes, { stream: true })
    }
    child.stdout?.release()
    await exited
    return text
  } catch {
    return ""
  }
}
