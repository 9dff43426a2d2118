/** Freezes large volumes in steps, so that a following fork, comparison or snapshot finds them frozen. */
import * as Effect from "effect/Effect"
import { freezeSteps, type FrozenVolume, latestFrozen } from "../fs/freeze.ts"
import { MemoryFolder } from "../fs/MemoryFolder.ts"
import type { VirtualFileSystem } from "../fs/VirtualFileSystem.ts"
import { type Turns, withTurns } from "./Turns.ts"

/** Number of names of a volume that are frozen at once, in a few milliseconds. */
const maxNamesAtOnce = 2_000
/** After that, a volume that changes all the time is frozen at once. */
const maxAttempts = 5

const largeRoots = (files: VirtualFileSystem): ReadonlyArray<MemoryFolder> =>
  files.volumes().filter((root) => root instanceof MemoryFolder).filter((root) =>
    !root.volume.readOnly && root.volume.names > maxNamesAtOnce && latestFrozen(root) === undefined
  )

/**
 * Freezes the large volumes of a file system, and returns the frozen volumes, which are reused only while they are
 * held.
 */
export const freezeWithTurns = async (
  files: VirtualFileSystem,
  turns: Turns,
): Promise<ReadonlyArray<FrozenVolume>> => {
  let held: ReadonlyArray<FrozenVolume> = []
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const roots = largeRoots(files)
    if (roots.length === 0) return held
    const made: Array<FrozenVolume> = []
    for (const root of roots) {
      const frozen = await turns.run(freezeSteps(root))
      if (frozen !== undefined) made.push(frozen)
    }
    held = [...held, ...made]
  }
  return held
}

/** Runs an Effect that freezes file systems after their large volumes were frozen in steps. */
export const frozenBefore = <A, E, R>(
  systems: ReadonlyArray<VirtualFileSystem>,
  use: Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    if (systems.every((files) => largeRoots(files).length === 0)) return use
    const frozen = withTurns<ReadonlyArray<ReadonlyArray<FrozenVolume>>, never>(
      (turns) => Promise.all(systems.map((files) => freezeWithTurns(files, turns))),
      () => undefined,
    )
    return Effect.flatMap(frozen, (held) => Effect.ensuring(use, Effect.sync(() => void held.length)))
  })
