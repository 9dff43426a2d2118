/** Finds the system's shell, for scripts, merged streams and the leaf's own use. */
import type { Host } from "./Host.ts"

/**
 * Finds the path of the shell that this process may run; `undefined` if it may run none. Deno applies `--allow-run=sh` to the
 * file that is found in PATH, `/usr/bin/sh`, and to no other path of the same file, such as `/bin/sh`.
 */
export const systemShell = (host: Host): string | undefined =>
  ["/bin/sh", "/usr/bin/sh", "sh"].find((name) => host.mayRun(name))

/** Whether this process has a shell of the system. One of which it cannot tell is taken to be there. */
export const hasSystemShell = (host: Host): boolean => {
  const shell = systemShell(host)
  return shell !== undefined &&
    (!shell.startsWith("/") || ["/bin/sh", "/usr/bin/sh"].some((path) => host.fileKind(path) !== "none"))
}

export const isShellName = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)

/** Signals to this program's process group do not reach another session. A detached spawn takes several milliseconds on Deno. */
const inOwnSession = 'command -v setsid >/dev/null 2>&1 && exec setsid "$@"; exec "$@"'

/** The arguments of a shell that runs a script in a session of its own, with `words` as its name and arguments. */
export const ownSessionArguments = (shell: string, script: string, ...words: ReadonlyArray<string>): Array<string> => [
  ...["-c", inOwnSession, "sh", shell, "-c", script],
  ...words,
]
