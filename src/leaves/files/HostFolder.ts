/** Opens paths below a folder of this machine, so that no path leads out of it. */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type * as NodeFs from "node:fs"
import { BackendError, type Names } from "./FileBackend.ts"
import type { Held, Holder } from "./holdPath.ts"
import { attempt } from "./hostCalls.ts"
import { isInside, type PathRules } from "./PathRules.ts"

export interface HostFolderSettings {
  readonly root: string
  readonly rules: PathRules
  readonly holder: Holder
  readonly followSymlinks: boolean
  readonly preservePermissions: boolean
  readonly flush: boolean
  /**
   * The reason why the entry at a canonical path may not be made, changed or removed; `undefined` if it may. Default: every
   * entry may.
   */
  readonly whyClosed?: ((path: string) => string | undefined) | undefined
}

const isLocked = ({ code }: BackendError): boolean => code === "EBUSY" || code === "EPERM" || code === "EACCES"

const locked = "another program may have it open, or its permissions forbid it; close it there, and try again"

export class HostFolder {
  readonly fs: typeof NodeFs
  readonly settings: HostFolderSettings
  readonly rules: PathRules

  constructor(fs: typeof NodeFs, settings: HostFolderSettings) {
    this.fs = fs
    this.settings = settings
    this.rules = settings.rules
  }

  /** Whether a held entry is reached by a handle, and not by its path. */
  get hasHandles(): boolean {
    return this.settings.holder.containment === "handles"
  }

  /** Holds the entry at an absolute path if it is below the root; with `exact`, only if no link leads there. */
  holdInside(path: string, follow = true, exact: boolean = !this.settings.followSymlinks): Held {
    const held = this.settings.holder.hold(path, follow)
    const wrong = !isInside(this.rules, this.settings.root, held.where)
      ? "ENOTCAPABLE"
      : !exact || this.rules.isSame(held.where, path)
      ? undefined
      : "ELOOP"
    if (wrong === undefined) return held
    held.release()
    throw new BackendError(wrong)
  }

  hold(names: Names, follow?: boolean, exact?: boolean): Held {
    return this.holdInside(this.rules.join(this.settings.root, names), follow, exact)
  }

  holdScoped(acquire: () => Held): Effect.Effect<Held, BackendError, Scope.Scope> {
    return Effect.acquireRelease(attempt(acquire), (held) => Effect.sync(held.release))
  }

  requireChange(path: string): void {
    const why = this.settings.whyClosed?.(path)
    if (why !== undefined) throw new BackendError("EACCES", why)
  }

  /** Calls `use` with a path to the last name in its folder, which is held meanwhile. */
  inFolder<A>(names: Names, use: (path: string, folder: Held) => A, exact?: boolean): A {
    const name = names.at(-1)
    if (name === undefined) throw new BackendError("EBUSY")
    const folder = this.hold(names.slice(0, -1), true, exact)
    try {
      return use(this.rules.join(folder.through, [name]), folder)
    } finally {
      folder.release()
    }
  }

  changeInFolder<A>(names: Names, use: (path: string, folder: Held) => A, exact?: boolean): A {
    return this.inFolder(names, (path, folder) => {
      this.requireChange(this.rules.join(folder.where, names.slice(-1)))
      return use(path, folder)
    }, exact)
  }

  statIfThere(path: string): NodeFs.Stats | undefined {
    return this.fs.lstatSync(path, { throwIfNoEntry: false })
  }

  /** On Windows another program may have a file open for a moment; after 0.6 s the fault is `AccessDenied`. */
  whileLocked<A, R>(effect: Effect.Effect<A, BackendError, R>): Effect.Effect<A, BackendError, R> {
    if (!this.rules.locksOpenFiles) return effect
    return Effect.retry(effect, { while: isLocked, schedule: Schedule.exponential("10 millis"), times: 6 }).pipe(
      Effect.mapError((error) =>
        isLocked(error) && error.detail === undefined ? new BackendError(error.code, locked) : error
      ),
    )
  }
}
