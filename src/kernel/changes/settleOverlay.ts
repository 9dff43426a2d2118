/**
 * Synchronizes an overlay with the folder below after its changes were written there, so that it shows the files below
 * again.
 */
import { LayeredFile } from "../fs/LayeredFile.ts"
import { LayeredFolder } from "../fs/LayeredFolder.ts"
import { MemoryFile } from "../fs/MemoryFile.ts"
import { MemoryLink } from "../fs/MemoryFolder.ts"
import { FileNode, Folder, type Node } from "../fs/Node.ts"
import { originOf } from "../fs/Origin.ts"
import type { OverlayPlace } from "./overlayChanges.ts"
import type { ChangeWriter, CommitStep } from "./writeChanges.ts"

/** The folder of the overlay at a path, if it is still there. */
const folderAt = (root: LayeredFolder, top: string, path: string): LayeredFolder | undefined => {
  let folder: Node | number = root
  for (const name of path.slice(top.length).split("/")) {
    if (name === "") continue
    if (!(folder instanceof LayeredFolder)) return undefined
    folder = folder.lookup(name)
  }
  return folder instanceof LayeredFolder ? folder : undefined
}

/** Whether a node of the overlay is unchanged since the commit began. */
const isUnchanged = (live: Node | undefined, now: Node | undefined): boolean => {
  if (live instanceof MemoryLink && now instanceof MemoryLink) return live.target === now.target
  if (!(live instanceof MemoryFile && now instanceof MemoryFile) || !live.content.shares(now.content)) return false
  const [one, two] = [live.stat(), now.stat()]
  return typeof one !== "number" && typeof two !== "number" && one.mode === two.mode
}

/**
 * Whether the overlay still has a name. Does not read the folder below, from which the content may have been moved away
 * by now.
 */
const isThere = ({ folder }: OverlayPlace, live: LayeredFolder, name: string): boolean =>
  live.names.has(name) || (folder?.borrowed.has(name) === true && !live.hidden.has(name))

/** A committed file. `isThere`: whether the overlay still has it. */
const settleFile = (
  folder: LayeredFolder,
  { change: { name, now } }: CommitStep,
  lower: Folder | undefined,
  isThere: boolean,
): void => {
  const live = folder.names.get(name)
  if (now === undefined || (isThere && (live === undefined || isUnchanged(live, now)))) {
    return folder.showLower(name, now !== undefined)
  }
  // The file has changed again or was removed, and so differs from the written content.
  const below = lower?.lookup(name)
  if (below === undefined || typeof below === "number") return
  if (!folder.borrowed.has(name)) folder.hidden.set(name, originOf(below))
  else if (live instanceof LayeredFile && below instanceof FileNode) live.renewOrigin(below)
}

/** `root`: the overlay at `top`; `steps`: the changes, written or not. */
export const settleOverlay = (
  root: LayeredFolder,
  top: string,
  places: ReadonlyArray<OverlayPlace>,
  steps: ReadonlyArray<CommitStep>,
  writer: ChangeWriter,
): void => {
  const byPlace = Map.groupBy(steps, ({ change }) => change.place)
  for (const place of places) {
    const own = byPlace.get(place) ?? []
    const maker = writer.stepOf(place.parent)
    if (place.folder === undefined || (maker !== undefined && maker.status !== "committed")) continue
    const live = folderAt(root, top, place.path)
    if (live === undefined) continue
    const lower = place.lower ?? maker?.made
    const there = new Set(own.filter(({ change: { name } }) => isThere(place, live, name)))
    if (place.isWhole && lower !== undefined) {
      for (const { change: { name, now, origin }, status } of own) {
        if (status === "committed") continue
        if (now !== undefined) live.pin(name)
        else live.hidden.set(name, origin)
      }
      if (live.parent instanceof LayeredFolder) live.parent.adopt(live.name, lower)
    }
    for (const step of own) {
      if (step.status !== "committed") continue
      if (!(step.change.now instanceof Folder)) settleFile(live, step, writer.folderOf(step), there.has(step))
      else if (step.made === undefined && step.change.old instanceof Folder) {
        live.adopt(step.change.name, step.change.old)
      }
    }
    if (live.changed && !live.inode.altered) live.forgetInode()
  }
}
