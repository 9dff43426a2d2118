/** Runs a system program to its end and returns its stdout, for the leaf's own use. */
import type { Host } from "./Host.ts"
import { runToEnd } from "./runToEnd.ts"

/** Runs a program. Returns its stdout, or `""` if it cannot be started. */
export const runHelper = (host: Host) => async (file: string, args: ReadonlyArray<string>): Promise<string> => {
  try {
    return (await runToEnd(host, { file, args, cwd: undefined, env: undefined })).stdout
  } catch {
    return ""
  }
}
