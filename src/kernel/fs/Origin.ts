/**
 * Remembers the state of a lower node that an overlay has read, changed or removed. A commit compares it with the state
 * at that time, and so finds changes of others.
 */
import { FileType, type Stat } from "../Stat.ts"
import { LinkNode, type Node } from "./Node.ts"

export interface Origin {
  /** The lower node; a node of the host is looked up by its path, whatever is there now. */
  readonly node: Node
  /** The {@link stampOf} the node when it was first read, changed or removed. */
  readonly stamp: string
  /** The digest of its content when it was first changed, for a file of the host that is not long. */
  readonly digest?: string | undefined
  /** The removed entries of a removed folder. `undefined` for a folder that was moved: all entries of the lower one. */
  readonly children?: ReadonlyMap<string, Origin | undefined> | undefined
}

/**
 * A text that stays the same as long as a file or a link is not changed. All folders have the same text, because others
 * may change their entries.
 */
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
