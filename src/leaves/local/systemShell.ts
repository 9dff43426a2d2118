/**
 * Finds the system's shell, for scripts, merged streams and the leaf's own use.
 *
 * @module
 */
import type { Host } from "./Host.ts"

/**
 * Finds the path of the shell that this process may run; `undefined` if it may run none. Deno applies `--allow-run=sh` to the
 * file that is found in PATH, `/usr/bin/sh`, and to no other path of the same file, such as `/bin/sh`.
 */
export const systemShell = (host: Host): string | undefined =>
  ["/bin/sh", "/usr/bin/sh", "sh"].find((name) => host.mayRun(name))
