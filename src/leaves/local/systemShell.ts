/**
 * Finds the system's shell, for scripts, merged streams and the leaf's own use.
 *
 * @module
 */
import type { Host } from "./Host.ts"

/**
 * Where the shell is that this process may run; `undefined` where it may run none. Deno takes `--allow-run=sh` for the
 * file that PATH leads to, `/usr/bin/sh`, and for no other name of it: not for `/bin/sh`, though they be one file.
 */
export const systemShell = (host: Host): string | undefined =>
  ["/bin/sh", "/usr/bin/sh", "sh"].find((name) => host.mayRun(name))
