/**
 * Opens a path without reading it, and finds its canonical location: the root check applies to the opened object, and every
 * later call goes through its handle.
 *
 * On Linux with a readable `/proc` the handle is an `O_PATH` descriptor: opening one has no effect on pipes and devices, and
 * `/proc/self/fd` gives its canonical path and reaches it even after a move. Elsewhere the canonical path stands for the
 * handle, and an opened file is compared several times with the file at its path, so that reads and writes stay below the
 * root. Calls on names (listing, making a folder, the last step of a write, deleting) use the path, and may act elsewhere if
 * another process swaps one of its folders at that moment. The system itself follows links, which does no harm: only their
 * final target counts.
 *
 * Source: open(2) `O_PATH`, `O_NOFOLLOW`; proc(5) `/proc/pid/fd`; path_resolution(7).
 */
import type * as NodeFs from "node:fs"
import { BackendError } from "./FileBackend.ts"
import type { PathRules } from "./PathRules.ts"

/** The file that a path named when it was opened. */
export interface Held {
  readonly where: string
  /** A path that leads to the entry as long as it is held. */
  readonly through: string
  readonly stats: () => NodeFs.Stats
  /** Whether the entry is still where it was: false once another process has moved it, or put a link into its place. */
  readonly isThere: () => boolean
  /** Whether an open file is the one at a path. */
  readonly has: (path: string, file: NodeFs.Stats) => boolean
  readonly release: () => void
}

export interface Holder {
  readonly containment: "handles" | "verify"
  /** Holds what an absolute path names; without `follow` its last name is no link. Throws the error of `node:fs`. */
  readonly hold: (path: string, follow?: boolean) => Held
}

const O_PATH = 0x200000
const deletedMark = " (deleted)"

/** Maximum number of times that a path is reopened because another process has replaced it. */
const maxTries = 100

/**
 * Repeats a call while its result is `undefined`, which means that another process replaced or moved the entry while it was
 * opened.
 */
export const retryMoved = <A>(attempt: () => A | undefined): A => {
  for (let tries = 0; tries < maxTries; tries++) {
    const result = attempt()
    if (result !== undefined) return result
  }
  throw new BackendError("EBUSY", "other processes keep moving or replacing it or a folder above it; try again")
}

/**
 * Makes the holder of this machine. `canReadProc`: whether the process may read `/proc`; `isSame` compares canonical paths:
 * Windows has a prefix for long ones, which it leaves out of returned paths.
 */
export const makeHolder = (
  fs: typeof NodeFs,
  platform: string,
  canReadProc: boolean,
  isSame: PathRules["isSame"] = (a, b) => a === b,
): Holder => platform === "linux" && canReadProc ? handleHolder(fs) : pathHolder(fs, isSame)

const handleHolder = (fs: typeof NodeFs): Holder => {
  const isSame = (path: string, { dev, ino }: NodeFs.Stats): boolean => {
    const there = fs.lstatSync(path, { throwIfNoEntry: false })
    return there !== undefined && there.dev === dev && there.ino === ino
  }

  const open = (path: string, follow: boolean): Held | undefined => {
    const handle = fs.openSync(path, O_PATH | (follow ? 0 : fs.constants.O_NOFOLLOW))
    let isHeld = false
    try {
      const through = `/proc/self/fd/${handle}`
      const where = fs.readlinkSync(through)
      let known: NodeFs.Stats | undefined
      const stats = (): NodeFs.Stats => known ??= fs.fstatSync(handle)
      if (!follow && stats().isSymbolicLink()) throw new BackendError("ELOOP")
      // Its path is not Unicode, and the runtime's decoded path names another file, or none.
      if (where.includes("\ufffd") && !isSame(where, stats())) throw new BackendError("EILSEQ")
      // The file was replaced after it was opened, or its own name ends with this text.
      if (where.endsWith(deletedMark) && !isSame(where, stats())) return undefined
      isHeld = true
      const isThere = () => fs.readlinkSync(through) === where
      return { where, through, stats, isThere, has: () => true, release: () => fs.closeSync(handle) }
    } finally {
      if (!isHeld) fs.closeSync(handle)
    }
  }

  return { containment: "handles", hold: (path, follow = true) => retryMoved(() => open(path, follow)) }
}

/**
 * Number of repeated comparisons, at irregular times: a process that swaps folders would have to be in step with each of
 * them.
 */
const looks = 24

const pathHolder = (fs: typeof NodeFs, isSame: PathRules["isSame"]): Holder => {
  const isAt = (path: string, { dev, ino }: NodeFs.Stats): boolean => {
    for (let look = 0; look < looks; look++) {
      for (let again = Math.random() * 3; again >= 0; again--) {
        if (!isSame(fs.realpathSync.native(path), path)) return false
      }
      const there = fs.lstatSync(path, { throwIfNoEntry: false })
      if (there === undefined || there.dev !== dev || there.ino !== ino) return false
    }
    return true
  }
  return {
    containment: "verify",
    hold: (path, follow = true) => {
      if (!follow && fs.lstatSync(path).isSymbolicLink()) throw new BackendError("ELOOP")
      const where = fs.realpathSync.native(path)
      let seen: NodeFs.Stats | undefined
      const stats = () => (seen ??= fs.lstatSync(where))
      const isThere = () => isAt(where, stats())
      return { where, through: where, stats, isThere, has: isAt, release: () => {} }
    },
  }
}
