/** Writes the changes of overlays to the folders below them, as far as a callback approves. */
import * as Effect from "effect/Effect"
import { LayeredFolder } from "../fs/LayeredFolder.ts"
import { FileNode } from "../fs/Node.ts"
import type { VirtualFileSystem } from "../fs/VirtualFileSystem.ts"
import { Errno } from "../Errno.ts"
import { SandboxError } from "../sandbox/SandboxError.ts"
import type { CommitOptions, CommitOutcome, PendingChange } from "./Commit.ts"
import { readStart } from "./compareContent.ts"
import { isWithin, type NodeChange } from "./compareTrees.ts"
import { errorOfTrees } from "./diffSandbox.ts"
import { dataOf, diffDefaults, normalizePath, relativeTo } from "./diffViews.ts"
import { freezeRoot } from "./freezeVolumes.ts"
import { hasRemoval, hasRest, patchOf } from "./gitPatch.ts"
import { type OverlayChange, type OverlayChanges, overlayChanges } from "./overlayChanges.ts"
import { settleOverlay } from "./settleOverlay.ts"
import { TreeError } from "./TreeView.ts"
import { type Turns, withTurns } from "./Turns.ts"
import { ChangeWriter, CommitStep } from "./writeChanges.ts"

const maxReadBytes = 268_435_456

interface OverlayCommit extends OverlayChanges {
  readonly root: LayeredFolder
  readonly path: string
}

const overlaysOf = (files: VirtualFileSystem, path: string): ReadonlyArray<LayeredFolder> =>
  files.volumes().filter((root) => root instanceof LayeredFolder).filter((root) =>
    !root.volume.readOnly && root.lowers.length === 1 && (isWithin(root.path, path) || isWithin(path, root.path))
  )

const collect = async (files: VirtualFileSystem, path: string, turns: Turns): Promise<ReadonlyArray<OverlayCommit>> => {
  const mounts = new Set(files.volumes().map((root) => root.path))
  const found: Array<OverlayCommit> = []
  const frozen = overlaysOf(files, path).map((root) => [root, freezeRoot(root)] as const)
  for (const [root, copy] of frozen) {
    if (!(copy instanceof LayeredFolder)) continue
    const top = root.path
    const { changes, places } = await overlayChanges(top, copy, mounts, turns)
    found.push({ root, path: top, changes: changes.filter((change) => isWithin(change.path, path)), places })
  }
  return found
}

const readNode = (path: string, node: NodeChange["old"]): Effect.Effect<Uint8Array, SandboxError> =>
  withTurns(async (turns) => {
    if (!(node instanceof FileNode)) return new Uint8Array(0)
    const stat = node.stat()
    if (typeof stat !== "number" && stat.size > maxReadBytes) throw new TreeError("read", path, -Errno.EFBIG)
    return await readStart(path, node, maxReadBytes, turns)
  }, errorOfTrees)

const patchOfChange = (change: OverlayChange, top: string): Effect.Effect<string, SandboxError> =>
  withTurns(async (turns) => {
    const { contextLines, maxFileBytes } = diffDefaults
    const room = { contextLines, maxFileBytes, bytes: Infinity }
    const path = relativeTo(top, change.path)
    const parts = [
      hasRemoval(change) ? await patchOf(change, path, true, room, turns) : "",
      hasRest(change) ? await patchOf(change, path, false, room, turns) : "",
    ]
    return parts.map((part) => part ?? "").join("")
  }, errorOfTrees)

const pendingOf = (change: OverlayChange, top: string): PendingChange => ({
  ...dataOf(change),
  ...(change.conflict === undefined ? undefined : { conflict: change.conflict }),
  readBefore: readNode(change.path, change.old),
  readAfter: readNode(change.path, change.now),
  readPatch: patchOfChange(change, top),
})

const outcomeOf = ({ change: { change, path }, code, message, status }: CommitStep): CommitOutcome => ({
  path,
  change,
  status: status === "approved" ? "failed" : status,
  ...(message === undefined ? undefined : { message }),
  ...(code === undefined ? undefined : { code }),
})

/** Asks about each change. */
const decide = <E, R>(
  { changes, path }: OverlayCommit,
  approve: CommitOptions<E, R>["approve"],
): Effect.Effect<ReadonlyArray<CommitStep>, E, R> =>
  Effect.forEach(changes, (change) =>
    Effect.suspend(() => {
      const answer = approve(pendingOf(change, path))
      return Effect.isEffect(answer) ? answer : Effect.succeed(answer)
    }).pipe(Effect.map((decision) => {
      const step = new CommitStep(change)
      // A callback without types may answer anything: only what says yes writes to the folder.
      if (decision !== true && decision !== "overwrite") {
        if (decision !== false) step.message = 'approve answered neither true, false nor "overwrite"'
        return step
      }
      if (change.conflict !== undefined && decision !== "overwrite") step.conflict(change.conflict)
      else step.status = "approved"
      return step
    })))

const writeOverlay = (
  { path, places, root }: OverlayCommit,
  steps: ReadonlyArray<CommitStep>,
): Effect.Effect<ReadonlyArray<CommitOutcome>> =>
  withTurns<ReadonlyArray<CommitOutcome>, never>(async (turns) => {
    const writer = new ChangeWriter(steps, turns)
    try {
      await writer.write()
    } finally {
      // Runs also after an interruption, because some changes are already in the folder below.
      settleOverlay(root, path, places, steps, writer)
    }
    return steps.map(outcomeOf)
  }, () => undefined)

const decideAll = <E, R>(files: VirtualFileSystem, path: string, approve: CommitOptions<E, R>["approve"]) =>
  Effect.flatMap(
    withTurns((turns) => collect(files, path, turns), errorOfTrees),
    Effect.forEach((commit) => Effect.map(decide(commit, approve), (steps) => ({ commit, steps }))),
  )

/** Commits the overlays of a file system in a folder. `closed`: fails when the sandbox is closed, and ends the questions. */
export const commitOverlays = <E, R>(
  files: VirtualFileSystem,
  { approve, path: given = "/" }: CommitOptions<E, R>,
  closed: Effect.Effect<never, SandboxError> = Effect.never,
): Effect.Effect<ReadonlyArray<CommitOutcome>, SandboxError | E, R> =>
  Effect.gen(function* () {
    const path = normalizePath(given)
    if (overlaysOf(files, path).length === 0) {
      const what = `there is nothing to commit to: no overlay of one folder is mounted at ${path}`
      return yield* Effect.fail(SandboxError.because({ _tag: "NoOverlay", path }, what, "ENODEV"))
    }
    const decided = yield* Effect.raceFirst(closed, decideAll(files, path, approve))
    const outcomes = yield* Effect.forEach(decided, ({ commit, steps }) => writeOverlay(commit, steps))
    return outcomes.flat()
  })
