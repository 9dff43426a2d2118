/** Compares the files of a sandbox with those of another one, or with a snapshot. */
import * as Effect from "effect/Effect"
import { attemptOptions } from "../../base/attemptOptions.ts"
import type { OptionError } from "../../base/OptionError.ts"
import { MountError } from "../fs/Mounts.ts"
import { restoreSteps } from "../fs/restore.ts"
import type { VirtualFileSystem } from "../fs/VirtualFileSystem.ts"
import { SandboxError } from "../sandbox/SandboxError.ts"
import { fileFailed, snapshotFailed } from "../sandbox/SandboxFiles.ts"
import { mountFailed } from "../sandbox/makeFileSystem.ts"
import { diffViews, resolveDiffOptions, TooManyChangesError } from "./diffViews.ts"
import type { DiffOptions, SandboxDiff } from "./FileChange.ts"
import { freezeVolumes, type FrozenVolumes } from "./freezeVolumes.ts"
import { TreeError, TreeView } from "./TreeView.ts"
import { type Turns, withTurns } from "./Turns.ts"

/** A snapshot that cannot be read. */
class SnapshotProblem extends Error {}

/** The files of a snapshot, over the same mounts as those of the sandbox. */
const viewOfSnapshot = async (files: VirtualFileSystem, archive: Uint8Array, turns: Turns): Promise<TreeView> => {
  const copy = files.fork()
  try {
    await turns.run(restoreSteps(copy, archive))
  } catch (cause) {
    turns.check()
    throw new SnapshotProblem("", { cause })
  }
  return new TreeView(freezeVolumes(copy))
}

/** The typed error of a failed comparison; `undefined` for a defect. */
export const errorOfTrees = (cause: unknown): SandboxError | undefined =>
  cause instanceof TreeError
    ? fileFailed(cause.operation, cause.path, cause.errno)
    : cause instanceof MountError
    ? mountFailed(cause.path, cause.errno)
    : cause instanceof SnapshotProblem
    ? snapshotFailed("compared", cause.cause)
    : undefined

const tooMany = (maxChanges: number): SandboxError =>
  SandboxError.because(
    { _tag: "TooManyChanges", maxChanges },
    `more than ${maxChanges} paths differ: compare one folder with path, or raise maxChanges`,
    "E2BIG",
  )

/** Returns the differences in `now`, the volumes of `files`. */
export const diffSandbox = (
  files: VirtualFileSystem,
  now: FrozenVolumes,
  against: FrozenVolumes | Uint8Array,
  options: DiffOptions,
): Effect.Effect<SandboxDiff, SandboxError | OptionError> =>
  Effect.flatMap(attemptOptions(() => resolveDiffOptions(options)), (settings) =>
    withTurns(
      async (turns) => {
        const old = against instanceof Uint8Array ? await viewOfSnapshot(files, against, turns) : new TreeView(against)
        return await diffViews(old, new TreeView(now), settings, turns)
      },
      (cause) => cause instanceof TooManyChangesError ? tooMany(settings.maxChanges) : errorOfTrees(cause),
    ))
