/** Checks whether two nodes are the same: one object, or the same path of the host. */
import { HostFile, HostLink } from "../fs/HostFile.ts"
import { HostFolder } from "../fs/HostFolder.ts"
import type { HostParent } from "../fs/HostVolume.ts"
import type { Node } from "../fs/Node.ts"

const isHostName = (node: Node | undefined): node is HostFile | HostLink =>
  node instanceof HostFile || node instanceof HostLink

const isSameFolder = (a: HostParent, b: HostParent): boolean =>
  a.volume.root === b.volume.root && a.hostPath() === b.hostPath()

export const isSamePlace = (a: Node | undefined, b: Node | undefined): boolean => {
  if (a === b) return true
  if (a instanceof HostFolder && b instanceof HostFolder) return isSameFolder(a, b)
  return isHostName(a) && isHostName(b) && a.name === b.name && isSameFolder(a.folder, b.folder)
}
