/**
 * Remembers what a lower volume had where an overlay has read, changed or removed it: a commit compares it with what is
 * there by then, and so finds what others have changed meanwhile.
 */
import { FileType, type Stat } from "../Stat.ts"
import { LinkNode, type Node } from "./Node.ts"

export interface Origin {
  /** The lower node; that of a host is found by its path, whatever is there now. */
  readonly node: Node
  /** The {@link stampOf} the node when it was first read, changed or removed. */
  readonly stamp: string
  /** The digest of its content when it was first changed, for a file of the host that is not long. */
  readonly digest?: string | undefined
  /** The removed entries of a removed folder. `undefined` for a folder that was moved: all entries of the lower one. */
  readonly children?: ReadonlyMap<string, Origin | undefined> | undefined
}

/** A text that is the same as long as a file or a link is not changed. Folders have one for all: others may change entries. */
export const stampOf = (node: Node, stat: Stat | number = node.stat()): string => {
  if (typeof stat === "number") return "none"
  if (stat.type === FileType.directory) return "folder"
  const target = node instanceof LinkNode ? node.readlink() : ""
  return `${stat.type} ${stat.inode} ${stat.mode} ${stat.size} ${stat.modified} ${target}`
}

export const originOf = (node: Node, children?: Origin["children"]): Origin => ({
  node,
  stamp: stampOf(node),
  children,
})
