/**
 * Exports the base classes and types for volumes of your own: nodes, files, links, folders, their options and context,
 * and the results of `stat`.
 *
 * @module
 */
export { FileNode, Folder, LinkNode, Node, type NodeOpenOptions, type Volume, type VolumeContext } from "../fs/Node.ts"
export { type DirectoryEntry, FileType, type Stat } from "../Stat.ts"
