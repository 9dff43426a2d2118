/**
 * Makes approved changes in the folder below an overlay. A file is written under a temporary name in its folder and
 * then renamed, so that at any moment it is either old or new. A new file is linked instead, which never overwrites.
 * New content is complete before anything is removed. The folder itself checks that nothing leads out of it: see
 * `nodeHostFiles.ts`.
 */
import { Errno, errnoName, errnoText } from "../Errno.ts"
import { digestOf } from "../fs/contentDigest.ts"
import { FileNode, Folder, LinkNode, type Node } from "../fs/Node.ts"
import { stampOf } from "../fs/Origin.ts"
import { trustedOpen } from "../fs/snapshotFormat.ts"
import type { CommitOutcome } from "./Commit.ts"
import { readAt, withReader } from "./compareContent.ts"
import type { OverlayChange } from "./overlayChanges.ts"
import { isSamePlace } from "./isSamePlace.ts"
import { TreeError } from "./TreeView.ts"
import type { Turns } from "./Turns.ts"

const pieceBytes = 262_144

/** A change on its way to the folder below. */
export class CommitStep {
  readonly change: OverlayChange
  status: CommitOutcome["status"] | "approved" = "declined"
  message: string | undefined
  code: string | undefined
  /** The folder that it has made or kept. */
  made: Folder | undefined
  /** Its content, beside its place. */
  staged: { readonly folder: Folder; readonly name: string } | undefined

  constructor(change: OverlayChange) {
    this.change = change
  }

  /** Ends the step, with an errno if it failed. */
  end(errno: number): void {
    this.status = errno < 0 ? "failed" : "committed"
    if (errno >= 0) return
    this.code = errnoName(errno)
    this.message = errnoText(errno)
  }

  conflict(message: string): void {
    this.status = "conflict"
    this.message = message
  }
}

const isOpen = ({ status }: CommitStep): boolean => status === "approved"

export class ChangeWriter {
  readonly #steps: ReadonlyArray<CommitStep>
  readonly #byChange: ReadonlyMap<OverlayChange, CommitStep>
  readonly #moved: ReadonlyArray<CommitStep>
  readonly #turns: Turns

  constructor(steps: ReadonlyArray<CommitStep>, turns: Turns) {
    this.#steps = steps
    this.#byChange = new Map(steps.map((step) => [step.change, step]))
    this.#moved = steps.filter(({ change }) => change.source !== undefined)
    this.#turns = turns
  }

  /** Makes the changes whose steps are approved. */
  async write(): Promise<void> {
    try {
      const later: Array<CommitStep> = []
      for (const step of this.#steps) if (isOpen(step) && !await this.#prepare(step, false)) later.push(step)
      for (const step of later) if (isOpen(step)) await this.#prepare(step, true)
      for (const step of this.#steps) {
        if (isOpen(step) && !(step.change.old instanceof Folder) && step.staged !== undefined) this.#place(step)
        await this.#turns.pause()
      }
      for (const step of this.#steps.toReversed()) {
        if (isOpen(step)) this.#finish(step)
        await this.#turns.pause()
      }
    } finally {
      for (const { staged } of this.#steps) if (staged !== undefined) removeStaged(staged)
    }
  }

  /** The folder below in which a change is made. */
  folderOf({ change: { place } }: CommitStep): Folder | undefined {
    return place.lower ?? this.stepOf(place.parent)?.made
  }

  stepOf(change: OverlayChange | undefined): CommitStep | undefined {
    return change && this.#byChange.get(change)
  }

  /** Whether the lower file is still needed for another change that was not made. */
  #isNeeded({ change: { old } }: CommitStep): boolean {
    return this.#moved.some(({ change: { source }, made, staged, status }) =>
      status !== "committed" && !(status === "approved" && (staged ?? made) !== undefined) && isSamePlace(source, old)
    )
  }

  /** Checks that the lower file is still the one about which the change was decided. */
  #isAsShown(step: CommitStep, folder: Folder): boolean {
    const { digest, name, stamp } = step.change
    const there = folder.lookup(name)
    const now = typeof there !== "number" ? stampOf(there) : there === -Errno.ENOENT ? undefined : "unknown"
    if (now === stamp && (digest === undefined || (typeof there !== "number" && digestOf(there) === digest))) {
      return true
    }
    step.conflict("it was changed outside after the commit had begun")
    return false
  }

  /** Makes a folder, or writes content to a temporary file. Returns `false` if something has to be removed first. */
  async #prepare(step: CommitStep, removes: boolean): Promise<boolean> {
    const { name, now, old, place } = step.change
    if (now === undefined || step.change.change === "mode") return true
    const folder = this.folderOf(step)
    if (folder === undefined) {
      const parent = this.stepOf(place.parent)
      if (!removes && parent !== undefined && isOpen(parent)) return false
      step.status = parent?.status === "declined" ? "declined" : "failed"
      step.message = `its folder was not ${parent?.status === "declined" ? "approved" : "made"}`
      return true
    }
    if (!(now instanceof Folder)) {
      try {
        await this.#stage(step, folder, now)
      } catch (cause) {
        if (!(cause instanceof TreeError)) throw cause
        step.end(cause.errno)
      }
      return true
    }
    if (old !== undefined && !removes) return false
    if (!this.#isAsShown(step, folder)) return true
    if (old !== undefined) {
      const removed = this.#isNeeded(step) ? -Errno.EBUSY : folder.removeFile(name, old)
      if (removed < 0) {
        step.end(removed)
        return true
      }
    }
    // The final mode of the folder may forbid writing into it.
    const mode = step.change.after?.mode ?? 0o755
    const created = folder.createFolder(name, mode | 0o700)
    const made = created < 0 ? created : folder.lookup(name)
    if (made instanceof Folder) step.made = made
    else step.end(typeof made === "number" ? made : -Errno.ENOTDIR)
    return true
  }

  async #stage(step: CommitStep, folder: Folder, now: Node): Promise<void> {
    const { after, path } = step.change
    const name = `.sluice-${crypto.randomUUID()}.tmp`
    step.staged = { folder, name }
    if (now instanceof LinkNode) {
      const target = after?.target ?? ""
      return check(path, folder.createLink(name, target))
    }
    if (!(now instanceof FileNode)) return check(path, -Errno.ENOTSUP)
    const file = folder.createFile(name, after?.mode ?? 0o644, { ...trustedOpen, write: true })
    if (typeof file === "number") return check(path, file)
    try {
      await withReader(path, now, async (reader) => {
        const piece = new Uint8Array(pieceBytes)
        for (let at = 0;;) {
          const count = await readAt(path, reader, at, piece, this.#turns)
          for (let done = 0; done < count;) {
            const written = file.writeAt(at + done, piece.subarray(done, count))
            if (written <= 0) return check(path, written === 0 ? -Errno.EIO : written)
            done += written
          }
          at += count
          if (count < piece.length) return
          await this.#turns.pause()
        }
      })
    } finally {
      file.release()
    }
  }

  /** Moves content to its place. */
  #place(step: CommitStep): void {
    const { name, now, old } = step.change
    const { staged } = step
    const folder = this.folderOf(step)
    if (folder === undefined || staged === undefined || !this.#isAsShown(step, folder)) return
    if (this.#isNeeded(step)) return step.end(-Errno.EBUSY)
    const node = staged.folder.lookup(staged.name)
    if (typeof node === "number") return step.end(node)
    if (old === undefined && now instanceof FileNode) {
      const linked = folder.addName(name, node)
      if (linked === 0) return step.end(0)
      if (linked === -Errno.EEXIST) return step.conflict("it was created outside after the commit had begun")
    }
    const there = folder.lookup(name)
    step.end(staged.folder.moveName(staged.name, node, folder, name, typeof there === "number" ? undefined : there))
  }

  /** Removes files and folders, replaces folders by files, and sets modes. */
  #finish(step: CommitStep): void {
    const { after, name, now, old } = step.change
    const folder = this.folderOf(step)
    if (folder === undefined) return step.end(-Errno.ENOENT)
    if (step.made !== undefined) {
      const mode = after?.mode ?? 0o755
      return step.end((mode & 0o700) === 0o700 ? 0 : step.made.setMode(mode))
    }
    if (!this.#isAsShown(step, folder)) return
    if (step.change.change === "mode") return step.end(old?.setMode(after?.mode ?? 0o644) ?? -Errno.ENOENT)
    if (old === undefined) return step.end(-Errno.ENOENT)
    if (this.#isNeeded(step)) return step.end(-Errno.EBUSY)
    const removed = old instanceof Folder ? folder.removeFolder(name, old) : folder.removeFile(name, old)
    if (removed === -Errno.ENOTEMPTY) return step.conflict("it is not empty: something in it was not removed")
    if (removed < 0 || now === undefined) return step.end(removed)
    const { staged } = step
    const node = staged === undefined ? -Errno.ENOENT : staged.folder.lookup(staged.name)
    if (staged === undefined || typeof node === "number") return step.end(-Errno.ENOENT)
    step.end(staged.folder.moveName(staged.name, node, folder, name, undefined))
  }
}

const check = (path: string, errno: number): void => {
  if (errno < 0) throw new TreeError("write", path, errno)
}

const removeStaged = ({ folder, name }: { readonly folder: Folder; readonly name: string }): void => {
  const node = folder.lookup(name)
  if (typeof node !== "number") folder.removeFile(name, node)
}
