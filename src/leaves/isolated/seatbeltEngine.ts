/** Builds walls with sandbox-exec(1) of macOS, which replaces itself by the command, so that no process stands in between. */
import type { Host } from "../../host/Host.ts"
import type { Walls } from "./enclose.ts"
import type { Mount } from "./Mount.ts"
import { seatbeltProfile } from "./seatbeltProfile.ts"

export interface SeatbeltSettings {
  readonly program: string
  readonly mounts: () => ReadonlyArray<Mount>
  /** A folder in place of `/tmp`, which cannot be replaced. */
  readonly temporary: string
}

/**
 * Makes the walls. macOS removes `DYLD_…` from the variables of its own programs, so none of these takes effect before
 * the walls stand.
 */
export const seatbeltEngine = (host: Host, { mounts, program, temporary }: SeatbeltSettings): Walls => ({
  reportsSignals: false,
  depth: 0,
  build: ({ args, env, file }) => {
    const canonical = mounts().map((mount): Mount => ({ ...mount, path: host.realPath(mount.path) ?? mount.path }))
    return {
      file: program,
      args: ["-p", seatbeltProfile(canonical, host.realPath(temporary) ?? temporary), file, ...args],
      env: { ...env?.set, TMPDIR: temporary },
    }
  },
})
