/** Shows the programs of a kernel as empty files in `/bin` and `/usr/bin`, after those of the file system, for `test -x`. */
import { Errno } from "../Errno.ts"
import { type DirectoryEntry, FileType, type Stat } from "../Stat.ts"
import { programFolders } from "./Programs.ts"

const statOf = (type: FileType, inode: number, links: number): Stat => ({
  device: 0,
  inode,
  type,
  mode: 0o755,
  links,
  size: 0,
  accessed: 0n,
  modified: 0n,
  changed: 0n,
})

const toAbsolutePath = (cwd: string, path: string): string =>
  `/${
    (path.startsWith("/") ? path : `${cwd}/${path}`).split("/").filter((part) => part !== "" && part !== ".").join("/")
  }`

export class ProgramFiles {
  readonly #inodes: ReadonlyMap<string, number>

  constructor(names: Iterable<string>) {
    this.#inodes = new Map(Array.from(names, (name, index) => [name, index + 1]))
  }

  /** Returns the stat of a path that is not in the file system; `-ENOENT` if it names no program either. */
  stat(cwd: string, path: string): Stat | number {
    const whole = toAbsolutePath(cwd, path)
    if (programFolders.has(whole) || whole === "/usr") return statOf(FileType.directory, 0, 2)
    const slash = whole.lastIndexOf("/")
    const inode = programFolders.has(whole.slice(0, slash)) ? this.#inodes.get(whole.slice(slash + 1)) : undefined
    return inode === undefined || path.endsWith("/")
      ? -Errno.ENOENT
      : statOf(FileType.regularFile, inode, programFolders.size)
  }

  list(
    cwd: string,
    path: string,
    found: ReadonlyArray<DirectoryEntry> | number,
  ): ReadonlyArray<DirectoryEntry> | number {
    if (typeof found === "number" && found !== -Errno.ENOENT) return found
    const whole = toAbsolutePath(cwd, path)
    if (whole !== "/" && whole !== "/usr" && !programFolders.has(whole)) return found
    const entries = typeof found === "number" ? [] : found
    const known = new Set(entries.map(({ name }) => name))
    const added = (names: Iterable<readonly [string, number]>, type: FileType): ReadonlyArray<DirectoryEntry> => [
      ...entries,
      ...[...names].filter(([name]) => !known.has(name)).map(([name, inode]) => ({ name, inode, type })),
    ]
    if (programFolders.has(whole)) return added(this.#inodes, FileType.regularFile)
    return added(whole === "/usr" ? [["bin", 0]] : [["bin", 0], ["usr", 0]], FileType.directory)
  }
}
