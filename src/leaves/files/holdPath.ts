/**
 * Opens what a path names without reading it, and says where it is: the decision whether a path stays below the root is made
 * on what was opened, and every call after it goes through the handle.
 *
 * On Linux with a readable `/proc` the handle is an `O_PATH` descriptor: opening one has no effect on pipes and devices, and
 * `/proc/self/fd` has its canonical path and leads to it, wherever others move it. Elsewhere the canonical path stands for
 * the handle; an opened file is compared with it once more. Links are followed by the system itself, and do no harm: only
 * where they end counts.
 *
 * Source: open(2) `O_PATH`, `O_NOFOLLOW`; proc(5) `/proc/pid/fd`; path_resolution(7).
 *
 * @module
 */
import type * as NodeFs from "node:fs"
import { BackendError } from "./FileBackend.ts"

/** What a path named when it was opened. */
export interface Held {
  /** Its canonical path at that moment. */
  readonly where: string
  /** A path that leads to it as long as it is held. */
  readonly through: string
  /** What it is. */
  readonly stats: () => NodeFs.Stats
  /** Whether it is still where it was: false once others have moved it, or put a link into its place. */
  readonly isThere: () => boolean
  readonly release: () => void
}

/** Opens what paths name, links followed. */
export interface Holder {
  readonly containment: "handles" | "verify"
  /** Holds what an absolute path names; without `follow` its last name is no link. Throws the error of `node:fs`. */
  readonly hold: (path: string, follow?: boolean) => Held
}

const O_PATH = 0x200000
const deletedMark = " (deleted)"

/** Makes the holder of this machine. `canReadProc` says that the process may read `/proc`. */
export const makeHolder = (fs: typeof NodeFs, platform: string, canReadProc: boolean): Holder =>
  platform === "linux" && canReadProc ? handleHolder(fs) : pathHolder(fs)

const handleHolder = (fs: typeof NodeFs): Holder => ({
  containment: "handles",
  hold: (path, follow = true) => {
    const handle = fs.openSync(path, O_PATH | (follow ? 0 : fs.constants.O_NOFOLLOW))
    try {
      const through = `/proc/self/fd/${handle}`
      const where = fs.readlinkSync(through)
      let known: NodeFs.Stats | undefined
      const stats = (): NodeFs.Stats => known ??= fs.fstatSync(handle)
      // A file may have a name that ends so; one without a name left has no link either.
      if (where.endsWith(deletedMark) && stats().nlink === 0) throw new BackendError("ENOENT")
      if (!follow && stats().isSymbolicLink()) throw new BackendError("ELOOP")
      return {
        where,
        through,
        stats,
        isThere: () => fs.readlinkSync(through) === where,
        release: () => fs.closeSync(handle),
      }
    } catch (error) {
      fs.closeSync(handle)
      throw error
    }
  },
})

const pathHolder = (fs: typeof NodeFs): Holder => ({
  containment: "verify",
  hold: (path, follow = true) => {
    if (!follow && fs.lstatSync(path).isSymbolicLink()) throw new BackendError("ELOOP")
    const where = fs.realpathSync.native(path)
    const isThere = () => fs.realpathSync.native(where) === where
    return { where, through: where, stats: () => fs.statSync(where), isThere, release: () => {} }
  },
})
