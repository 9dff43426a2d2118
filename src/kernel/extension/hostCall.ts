/** Makes system calls of an extension's process for code of the host. */
import type { Process } from "../process/Process.ts"

/** The process of an extension, and where its relative paths start. */
export interface ExtensionProcess {
  readonly process: Process
  readonly cwd: string
  /** Aborted when the process ends. */
  readonly signal: AbortSignal
}

/** Makes a call; when the process has ended, it is rejected with the reason of the signal instead of the kernel's error. */
export const hostCall = <A>({ process, signal }: ExtensionProcess, call: () => A | Promise<A>): Promise<A> => {
  const attempt = async (): Promise<A> => {
    signal.throwIfAborted()
    try {
      return await call()
    } catch (cause) {
      throw process.status === undefined ? cause : signal.reason
    }
  }
  const result = attempt()
  // A promise that the function dropped must not be an unhandled rejection.
  result.catch(() => {})
  return result
}

/** Returns a path for the process, whose working directory may be another than that of the call. */
export const pathOf = ({ cwd, process }: ExtensionProcess, path: string): string =>
  path.startsWith("/") || path === "" || cwd === process.cwd ? path : `${cwd}/${path}`
