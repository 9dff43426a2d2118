/** Writes the files of a planned patch, all or none: if a write fails, the earlier ones are undone. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { isSameBytes } from "../base/bytes.ts"
import type { FileFault } from "./FileFault.ts"
import { type FilePatchError, patchError } from "./FilePatchError.ts"
import { Files } from "./Files.ts"
import type { PlannedFile } from "./planPatch.ts"

type Step = readonly [path: string, file: PlannedFile]

const isSame = (a: Uint8Array | undefined, b: Uint8Array | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && isSameBytes(a, b))

/** Brings a file to its planned state. `there` is its current state; `permissions` are those of a new file. */
const put = (
  path: string,
  there: Uint8Array | undefined,
  wanted: Uint8Array | undefined,
  permissions: number | undefined,
): Effect.Effect<unknown, FileFault, Files> =>
  wanted === undefined
    ? Files.delete(path)
    : there === undefined
    ? Files.write(path, wanted, { createMode: "CreateNew", permissions })
    : Files.write(path, wanted, { createMode: "ReplaceExisting" })

/**
 * Fails if a file has changed since the patch was planned: by another process, or by the patch itself under another
 * name.
 */
const refuseChanged = ([path, { before }]: Step): Effect.Effect<void, FileFault | FilePatchError, Files> =>
  Effect.gen(function* () {
    // Reads one byte more than the file had, to see whether it has grown.
    const length = (before?.length ?? 0) + 1
    const now = yield* Effect.catchIf(
      Files.read(path, { length, maxBytes: length }),
      ({ faultKind }) => faultKind === "NotFound",
      () => Effect.undefined,
    )
    if (isSame(now, before)) return
    yield* Effect.fail(patchError("Changed", 0, path, "the file was changed meanwhile; read it again"))
  })

/** The folders that are missing on the way to the new files, the deepest last. */
const missingFolders = (steps: ReadonlyArray<Step>): Effect.Effect<ReadonlyArray<string>, FileFault, Files> =>
  Effect.gen(function* () {
    const missing = new Set<string>()
    const there = new Set<string>()
    for (const [path, { before }] of steps) {
      if (before !== undefined) continue
      const names = path.split("/")
      for (let count = 1; count < names.length; count++) {
        const folder = names.slice(0, count).join("/")
        if (there.has(folder) || missing.has(folder)) continue
        if (yield* Files.exists(folder)) there.add(folder)
        else missing.add(folder)
      }
    }
    return [...missing]
  })

/** Undoes steps, the last first; returns the files that stay changed. */
const undo = (
  done: ReadonlyArray<Step>,
  folders: ReadonlyArray<string>,
): Effect.Effect<ReadonlyArray<string>, never, Files> =>
  Effect.gen(function* () {
    const changed: Array<string> = []
    for (const [path, { after, before, permissions }] of done.toReversed()) {
      const undone = yield* Effect.exit(put(path, after, before, permissions))
      if (Exit.isFailure(undone)) changed.push(path)
    }
    // A folder that others have used meanwhile is not empty, so the delete fails and it stays.
    for (const folder of folders.toReversed()) yield* Effect.exit(Files.delete(folder))
    return changed
  })

/** Writes a plan. If a write fails, undoes the others and then fails with that fault. */
export const commitPatch = (
  files: ReadonlyMap<string, PlannedFile>,
): Effect.Effect<void, FileFault | FilePatchError, Files> =>
  Effect.gen(function* () {
    const steps = [...files].filter(([, { after, before }]) => !isSame(before, after))
    // A moved file exists twice for a moment, and is never missing.
    const ordered = [
      ...steps.filter(([, { after }]) => after !== undefined),
      ...steps.filter(([, { after }]) => after === undefined),
    ]
    for (const file of files) yield* refuseChanged(file)
    const folders = yield* missingFolders(ordered)
    const done: Array<Step> = []
    for (const step of ordered) {
      const [path, { after, before, permissions }] = step
      const check = done.length === 0 ? Effect.void : refuseChanged(step)
      const written = yield* Effect.exit(Effect.andThen(check, put(path, before, after, permissions)))
      if (Exit.isSuccess(written)) {
        done.push(step)
        continue
      }
      const changed = yield* undo(done, folders)
      if (changed.length === 0) yield* written
      const what = `writing it failed, and so did restoring the files that were written before: ${changed.join(", ")}`
      yield* Effect.fail(patchError("NotRestored", 0, path, what))
    }
  }).pipe(Effect.uninterruptible)
