/** Declares what an engine needs to build walls on this machine. */
import type { IsolationLauncher } from "./launcher.ts"
import type { Mount } from "./Mount.ts"

/** Settings that every engine needs. */
export interface EngineSettings {
  /** Path of `sh`. */
  readonly shell: string
  readonly launcher: IsolationLauncher
  /** The architecture, as the runtime names it. */
  readonly arch: string
  /** The current mounts, in their order. */
  readonly mounts: () => ReadonlyArray<Mount>
  readonly tmpBytes: number
  /** The file of the filter of system calls; `undefined` without one for this architecture. */
  readonly filterPath: string | undefined
}
