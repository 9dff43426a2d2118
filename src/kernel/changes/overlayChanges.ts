/** Finds the changes of an overlay, and changes by others in the folder below since the overlay first read it. */
import { compareStrings } from "../binaryString.ts"
import { digestOf } from "../fs/contentDigest.ts"
import { LayeredFile } from "../fs/LayeredFile.ts"
import { LayeredFolder } from "../fs/LayeredFolder.ts"
import { Folder, type Node } from "../fs/Node.ts"
import { type Origin, originOf, stampOf } from "../fs/Origin.ts"
import { changeOf, kindOf, type NodeChange, versionOf } from "./compareTrees.ts"
import { isSamePlace } from "./isSamePlace.ts"
import { foundOrThrow, needed } from "./TreeView.ts"
import type { Turns } from "./Turns.ts"

/** The entries that the overlay has seen in a lower folder; `all`: every entry, because the folder was moved away. */
type Known = ReadonlyMap<string, Origin | undefined> | "all"

/** A folder of the overlay, or one that it has removed. */
export interface OverlayPlace {
  readonly path: string
  readonly folder: LayeredFolder | undefined
  /** The folder below; `undefined` if there is none. */
  readonly lower: Folder | undefined
  /** Whether all entries count, because the folder is not the one below. */
  readonly isWhole: boolean
  readonly known: Known
  /** The change that makes the folder. */
  readonly parent: OverlayChange | undefined
}

export interface OverlayChange extends NodeChange {
  readonly name: string
  readonly place: OverlayPlace
  /** The stamp of the lower node at this path; `undefined` if there is none. */
  readonly stamp: string | undefined
  /** The digest of its content, where it has one. */
  readonly digest: string | undefined
  /** The lower node that the overlay hides. */
  readonly origin: Origin | undefined
  readonly conflict: string | undefined
  /** The lower node at the path that it was moved from. */
  readonly source: Node | undefined
}

export interface OverlayChanges {
  /** By path, a folder before its content. */
  readonly changes: ReadonlyArray<OverlayChange>
  readonly places: ReadonlyArray<OverlayPlace>
}

const none: Known = new Map()
const changedOutside = "it was changed outside since the sandbox first read it"
const removedOutside = "it was removed outside"
const createdOutside = "it was created outside"

const listOf = (path: string, folder: Folder | undefined): ReadonlyArray<string> =>
  folder === undefined ? [] : (foundOrThrow(path, folder.list()) ?? []).map(({ name }) => name)

const namesOf = ({ folder, isWhole, known, lower, path }: OverlayPlace): ReadonlyArray<string> => {
  const own = folder === undefined
    ? []
    : isWhole
    ? listOf(path, folder)
    : Array.from(folder.ownNames(), ([name]) => name)
  return Array.from(new Set([...own, ...(known === "all" ? listOf(path, lower) : known.keys())]))
}

/** Returns the lower node at the path from which a node was moved, because its unchanged parts are read there. */
const sourceOf = (
  { folder, isWhole }: OverlayPlace,
  name: string,
  now: Node | undefined,
  old: Node | undefined,
): Node | undefined => {
  const shown = isWhole && folder?.borrowed.has(name) === true ? folder.lowers[0]?.lookup(name) : undefined
  const node = now instanceof LayeredFile
    ? now.origin?.node
    : now instanceof LayeredFolder
    ? now.lowers[0]
    : typeof shown === "number"
    ? undefined
    : shown
  return isSamePlace(node, old) ? undefined : node
}

const isChanged = (node: Node, { digest, stamp }: Origin): boolean =>
  stampOf(node) !== stamp || (digest !== undefined && digestOf(node) !== digest)

const conflictOf = (
  now: Node | undefined,
  old: Node | undefined,
  origin: Origin | undefined,
  isBorrowed: boolean,
): string | undefined => {
  // A file that was read, then moved here, and was changed by others at its old path since.
  if (now instanceof LayeredFile && !isBorrowed && now.lower === undefined && now.origin !== undefined) {
    if (isChanged(now.origin.node, now.origin)) return changedOutside
  }
  if (old === undefined) return isBorrowed || origin !== undefined ? removedOutside : undefined
  if (isBorrowed && !(now instanceof LayeredFile)) return stampOf(old) === "folder" ? undefined : changedOutside
  const seen = isBorrowed && now instanceof LayeredFile ? now.origin : origin
  if (seen === undefined) return now instanceof Folder && old instanceof Folder ? undefined : createdOutside
  return isChanged(old, seen) ? changedOutside : undefined
}

const hasOtherMode = (path: string, old: Folder, now: Folder): boolean =>
  needed("look at", path, old.stat()).mode !== needed("look at", path, now.stat()).mode

/** As {@link changeOf}. The mode of a folder below may change without the overlay's doing. */
const changeIn = (
  path: string,
  old: Node | undefined,
  now: Node | undefined,
  isBorrowed: boolean,
  turns: Turns,
): Promise<NodeChange["change"] | undefined> | NodeChange["change"] | undefined => {
  if (!(old instanceof Folder && now instanceof LayeredFolder)) return changeOf(path, old, now, turns)
  const isAltered = !isBorrowed || (now.changed && now.inode.altered)
  return isAltered && hasOtherMode(path, old, now) ? "mode" : undefined
}

/** Returns the changes of an overlay. `root`: a copy of it that nothing changes; `skipped`: paths where others are mounted. */
export const overlayChanges = async (
  path: string,
  root: LayeredFolder,
  skipped: ReadonlySet<string>,
  turns: Turns,
): Promise<OverlayChanges> => {
  const changes: Array<OverlayChange> = []
  const places: Array<OverlayPlace> = []
  const tasks: Array<readonly [place: OverlayPlace, name: string]> = []
  const enter = (place: OverlayPlace): void => {
    places.push(place)
    for (const name of namesOf(place).toSorted(compareStrings).reverse()) tasks.push([place, name])
  }
  enter({ path, folder: root, lower: root.lowers[0], isWhole: false, known: root.hidden, parent: undefined })
  for (let task = tasks.pop(); task !== undefined; task = tasks.pop()) {
    const [place, name] = task
    const here = place.path === "/" ? `/${name}` : `${place.path}/${name}`
    if (skipped.has(here)) continue
    await turns.pause()
    const { folder, isWhole, known, lower } = place
    const now = folder === undefined ? undefined : foundOrThrow(here, folder.lookup(name))
    const old = lower === undefined ? undefined : foundOrThrow(here, lower.lookup(name))
    const isBorrowed = folder !== undefined && !isWhole && folder.borrowed.has(name)
    const origin = known === "all" ? old && originOf(old) : known.get(name)
    // Entries that the overlay has not seen were made by others, and stay; so do nodes that are not files.
    if (now === undefined && (old === undefined || origin === undefined)) continue
    if (now !== undefined && kindOf(now) === "other") continue
    const change = await changeIn(here, old, now, isBorrowed, turns)
    const made: OverlayChange | undefined = change && {
      path: here,
      change,
      name,
      place,
      old,
      now,
      origin,
      before: old && await versionOf(here, old, turns),
      after: now && await versionOf(here, now, turns),
      stamp: old && stampOf(old),
      digest: digestOf(old),
      conflict: conflictOf(now, old, origin, isBorrowed),
      source: sourceOf(place, name, now, old),
    }
    if (made !== undefined) changes.push(made)
    const wasFolder = old instanceof Folder && (origin === undefined || origin.stamp === "folder") ? old : undefined
    const inner = origin === undefined ? none : origin.children ?? "all"
    if (now instanceof LayeredFolder) {
      enter({
        path: here,
        folder: now,
        lower: old instanceof Folder ? old : undefined,
        isWhole: !isBorrowed,
        known: isBorrowed ? now.hidden : inner,
        parent: change === "added" || change === "replaced" ? made : undefined,
      })
    } else if (wasFolder !== undefined && made !== undefined) {
      enter({ path: here, folder: undefined, lower: wasFolder, isWhole: true, known: inner, parent: made })
    }
  }
  return { changes, places }
}
