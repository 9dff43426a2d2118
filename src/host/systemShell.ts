/** Finds the system's shell, for scripts, merged streams and the leaf's own use. */
import type { Host, HostProcess, SpawnRequest } from "./Host.ts"

/**
 * Finds the path of the shell that this process may run; `undefined` if it may run none. Deno applies `--allow-run=sh` to the
 * file that is found in PATH, `/usr/bin/sh`, and to no other path of the same file, such as `/bin/sh`.
 */
export const systemShell = (host: Host): string | undefined =>
  ["/bin/sh", "/usr/bin/sh", "sh"].find((name) => host.mayRun(name))

/** Whether this process has a system shell. If that cannot be checked, it counts as present. */
export const hasSystemShell = (host: Host): boolean => {
  const shell = systemShell(host)
  return shell !== undefined &&
    (!shell.startsWith("/") || ["/bin/sh", "/usr/bin/sh"].some((path) => host.fileKind(path) !== "none"))
}

export const isShellName = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)

/**
 * Signals to this program's process group do not reach another session. A detached spawn takes several milliseconds on Deno.
 */
const inOwnSession = 'command -v setsid >/dev/null 2>&1 && exec setsid "$@"; exec "$@"'

/**
 * Starts a script in a session of its own that waits for the end of its stdin, which comes at the latest when this program
 * ends. `words`: its name and arguments.
 */
export const startWatcher = (
  host: Host,
  shell: string,
  script: string,
  { env, stdout = "null", words = [] }: {
    readonly env: SpawnRequest["env"]
    readonly words?: ReadonlyArray<string>
    readonly stdout?: "null" | "piped"
  },
): HostProcess | Promise<HostProcess> =>
  host.spawn({
    file: shell,
    args: ["-c", inOwnSession, "sh", shell, "-c", script, ...words],
    cwd: "/",
    env,
    stdin: "piped",
    stdout,
    stderr: "null",
    detached: false,
    verbatim: false,
  })

/** A runtime may close an unreferenced pipe. */
const pipes = new Set<unknown>()

/**
 * Keeps the stdin of a watcher open, and lets this program end without it. The result releases its stdin: `false` if it was.
 */
export const keepOpen = (watcher: HostProcess): () => boolean => {
  const { stdin } = watcher
  watcher.setRef(false)
  if (stdin !== undefined) pipes.add(stdin)
  return () => pipes.delete(stdin)
}
