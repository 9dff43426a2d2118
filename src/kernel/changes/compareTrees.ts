/**
 * Finds the differences between two trees of files, in the order of their paths. Folders that both share from one
 * frozen volume, and unchanged parts of the same folder below two overlays, are skipped, so the time depends on the
 * number of changes instead of files.
 */
import { compareStrings } from "../binaryString.ts"
import { HostFolder } from "../fs/HostFolder.ts"
import { LayeredFolder } from "../fs/LayeredFolder.ts"
import { MemoryFolder } from "../fs/MemoryFolder.ts"
import { FileNode, Folder, LinkNode, type Node } from "../fs/Node.ts"
import { FileType } from "../Stat.ts"
import { hasSameContent, readStart } from "./compareContent.ts"
import type { FileChange, FileVersion } from "./FileChange.ts"
import { isSamePlace } from "./isSamePlace.ts"
import { foundOrThrow, needed, type TreeView } from "./TreeView.ts"
import type { Turns } from "./Turns.ts"

/** As git does. */
const textProbeBytes = 8_000

/** A change with the two nodes that it compares. */
export interface NodeChange extends FileChange {
  readonly old: Node | undefined
  readonly now: Node | undefined
}

export const kindOf = (node: Node): FileVersion["kind"] =>
  node instanceof Folder
    ? "folder"
    : node instanceof LinkNode
    ? "link"
    : node.type === FileType.regularFile
    ? "file"
    : "other"

export const versionOf = async (path: string, node: Node, turns: Turns): Promise<FileVersion> => {
  const { mode, size } = needed("look at", path, node.stat())
  const kind = kindOf(node)
  if (node instanceof LinkNode) return { kind, mode, size, target: needed("read", path, node.readlink()) }
  if (kind !== "file" || !(node instanceof FileNode)) return { kind, mode, size }
  return { kind, mode, size, isText: !(await readStart(path, node, textProbeBytes, turns)).includes(0) }
}

/** Returns the change from one node to another; `undefined` if they differ at most in their entries. */
export const changeOf = async (
  path: string,
  old: Node | undefined,
  now: Node | undefined,
  turns: Turns,
): Promise<FileChange["change"] | undefined> => {
  if (old === undefined || now === undefined) return old === now ? undefined : old === undefined ? "added" : "removed"
  if (kindOf(old) !== kindOf(now)) return "replaced"
  if (old instanceof LinkNode && now instanceof LinkNode) {
    return needed("read", path, old.readlink()) === needed("read", path, now.readlink()) ? undefined : "changed"
  }
  const isFile = kindOf(old) === "file" && old instanceof FileNode && now instanceof FileNode
  if (isFile && !await hasSameContent(path, old, now, turns)) return "changed"
  return needed("look at", path, old.stat()).mode === needed("look at", path, now.stat()).mode ? undefined : "mode"
}

const hasSameLowers = (a: LayeredFolder, b: LayeredFolder): boolean =>
  a.lowers.length === b.lowers.length && a.lowers.every((lower, at) => isSamePlace(lower, b.lowers[at]))

/** Names of two folders that may differ. */
const namesOf = (path: string, old: Node | undefined, now: Node | undefined): ReadonlyArray<string> => {
  const names = new Set<string>()
  if (old instanceof HostFolder && now instanceof HostFolder && isSamePlace(old, now)) return []
  if (old instanceof MemoryFolder && now instanceof MemoryFolder) {
    if (old.unread !== undefined && old.unread.names === now.unread?.names) return []
    if (old instanceof LayeredFolder && now instanceof LayeredFolder && hasSameLowers(old, now)) {
      for (const folder of [old, now]) {
        for (const [name] of folder.ownNames()) names.add(name)
        for (const name of folder.hidden.keys()) names.add(name)
      }
      return Array.from(names)
    }
  }
  for (const folder of [old, now]) {
    const listed = folder instanceof Folder ? foundOrThrow(path, folder.list()) ?? [] : []
    for (const { name } of listed) names.add(name)
  }
  return Array.from(names)
}

/** Compares two nodes and everything in them; paths in `skipped` are left out. */
async function* compareNodes(
  start: string,
  one: Node | undefined,
  two: Node | undefined,
  skipped: ReadonlySet<string>,
  turns: Turns,
): AsyncGenerator<NodeChange> {
  const tasks: Array<readonly [path: string, old: Node | undefined, now: Node | undefined]> = [[start, one, two]]
  for (let task = tasks.pop(); task !== undefined; task = tasks.pop()) {
    const [path, old, now] = task
    await turns.pause()
    const change = await changeOf(path, old, now, turns)
    if (change !== undefined) {
      const before = old && await versionOf(path, old, turns)
      const after = now && await versionOf(path, now, turns)
      yield { path, change, before, after, old, now }
    }
    if (!(old instanceof Folder || now instanceof Folder)) continue
    const under = path === "/" ? "/" : `${path}/`
    for (const name of namesOf(path, old, now).toSorted(compareStrings).reverse()) {
      const here = under + name
      if (skipped.has(here)) continue
      const [a, b] = [old, now].map((node) =>
        node instanceof Folder ? foundOrThrow(here, node.lookup(name)) : undefined
      )
      if (a !== undefined || b !== undefined) tasks.push([here, a, b])
    }
  }
}

/** Whether a path is a folder or in it. */
export const isWithin = (path: string, folder: string): boolean =>
  folder === "/" || path === folder || path.startsWith(`${folder}/`)

/** Compares two file systems at a path and below. Only volumes in memory and of host folders are compared. */
export async function* compareViews(
  old: TreeView,
  now: TreeView,
  path: string,
  turns: Turns,
): AsyncGenerator<NodeChange> {
  const mounts = new Set([...old.mounts.keys(), ...now.mounts.keys()])
  const starts = [path, ...Array.from(mounts).filter((mount) => mount !== path && isWithin(mount, path))]
  for (const start of starts.toSorted(compareStrings)) {
    if (old.excludes(start) || now.excludes(start)) continue
    yield* compareNodes(start, old.find(start), now.find(start), mounts, turns)
  }
}
