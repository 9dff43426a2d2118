/** Reads and writes the objects of a repository by isomorphic-git, and caches recently read ones. */
import type { System } from "../../../System.ts"
import { fatal, GitError } from "../GitError.ts"
import { type GitFileSystem, gitFileSystem } from "./gitFileSystem.ts"
import { type IsomorphicGit, loadGit } from "./loadGit.ts"
import {
  type Commit,
  formatCommit,
  formatTag,
  formatTree,
  modes,
  type ObjectType,
  parseCommit,
  parseTag,
  parseTree,
  type Tag,
  type TreeEntry,
} from "./objects.ts"

export interface GitObject {
  readonly type: ObjectType
  readonly bytes: Uint8Array
}

const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

/** Maximum bytes of cached objects; larger ones are read again. */
const maxKeptBytes = 33_554_432
const maxKeptObjectBytes = 1_048_576
const maxTreeDepth = 512

const objectTypes: ReadonlyArray<string> = ["blob", "commit", "tag", "tree"]
const isObjectType = (type: string): type is ObjectType => objectTypes.includes(type)

export class ObjectStore {
  readonly #system: System
  readonly #gitdir: string
  readonly fs: GitFileSystem
  /** isomorphic-git's cache of packs. */
  readonly cache: object = {}
  readonly #kept = new Map<string, GitObject>()
  #keptBytes = 0
  #library: IsomorphicGit | undefined

  constructor(system: System, gitdir: string) {
    this.#system = system
    this.#gitdir = gitdir
    this.fs = gitFileSystem(system, gitdir)
  }

  async library(): Promise<IsomorphicGit> {
    return this.#library ??= await loadGit()
  }

  async readIfExists(oid: string): Promise<GitObject | undefined> {
    const kept = this.#kept.get(oid)
    if (kept !== undefined) return kept
    await this.#system.yield()
    const { readObject } = await this.library()
    try {
      const { fs } = this
      const read = await readObject({ fs, cache: this.cache, gitdir: this.#gitdir, oid, format: "content" })
      const bytes: unknown = read.object
      if (read.type === undefined || !isObjectType(read.type) || !(bytes instanceof Uint8Array)) return undefined
      const object = { type: read.type, bytes }
      this.#keep(oid, object)
      return object
    } catch (cause) {
      if (cause instanceof Error && "code" in cause && cause.code === "NotFoundError") return undefined
      throw cause
    }
  }

  #keep(oid: string, object: GitObject): void {
    if (object.bytes.length > maxKeptObjectBytes) return
    this.#kept.set(oid, object)
    this.#keptBytes += object.bytes.length + 200
    if (this.#keptBytes <= maxKeptBytes) return
    this.#kept.clear()
    this.#keptBytes = 0
  }

  async read(oid: string): Promise<GitObject> {
    return await this.readIfExists(oid) ?? fatal(`bad object ${oid}`)
  }

  async #readAs(oid: string, type: ObjectType): Promise<Uint8Array> {
    const object = await this.read(oid)
    return object.type === type ? object.bytes : fatal(`${oid} is a ${object.type}, not a ${type}`)
  }

  async commit(oid: string): Promise<Commit> {
    return parseCommit(oid, await this.#readAs(oid, "commit"))
  }

  async tag(oid: string): Promise<Tag> {
    return parseTag(await this.#readAs(oid, "tag"))
  }

  async tree(oid: string): Promise<ReadonlyArray<TreeEntry>> {
    return oid === emptyTree ? [] : parseTree(await this.#readAs(oid, "tree"))
  }

  blob(oid: string): Promise<Uint8Array> {
    return this.#readAs(oid, "blob")
  }

  async write(type: ObjectType, bytes: Uint8Array): Promise<string> {
    const { writeObject } = await this.library()
    return await writeObject({ fs: this.fs, gitdir: this.#gitdir, type, object: bytes, format: "content" })
  }

  writeCommit(commit: Omit<Commit, "oid">): Promise<string> {
    return this.write("commit", formatCommit(commit))
  }

  writeTag(tag: Tag): Promise<string> {
    return this.write("tag", formatTag(tag))
  }

  async hash(type: ObjectType, bytes: Uint8Array): Promise<string> {
    const header = new TextEncoder().encode(`${type} ${bytes.length}\0`)
    const whole = new Uint8Array(header.length + bytes.length)
    whole.set(header)
    whole.set(bytes, header.length)
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-1", whole))
    return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("")
  }

  /** The files of a tree by their paths. */
  async files(oid: string): Promise<Map<string, TreeEntry>> {
    const files = new Map<string, TreeEntry>()
    await this.#collect(oid, "", files, 0)
    return files
  }

  async #collect(oid: string, prefix: string, into: Map<string, TreeEntry>, depth: number): Promise<void> {
    if (depth > maxTreeDepth) fatal(`the trees are more than ${maxTreeDepth} levels deep`)
    for (const entry of await this.tree(oid)) {
      if (entry.mode === modes.tree) await this.#collect(entry.oid, `${prefix}${entry.name}/`, into, depth + 1)
      else into.set(prefix + entry.name, entry)
    }
    if (into.size > 1_000_000) fatal("the tree has more than 1,000,000 files")
  }

  /** Writes the trees of files, and returns the root's id. */
  async writeFiles(
    files: Iterable<readonly [path: string, entry: { readonly mode: number; readonly oid: string }]>,
  ): Promise<string> {
    interface Folder {
      readonly folders: Map<string, Folder>
      readonly entries: Array<TreeEntry>
    }
    const root: Folder = { folders: new Map(), entries: [] }
    for (const [path, { mode, oid }] of files) {
      const names = path.split("/")
      const name = names.pop() ?? ""
      let folder = root
      for (const each of names) {
        let inner = folder.folders.get(each)
        if (inner === undefined) folder.folders.set(each, inner = { folders: new Map(), entries: [] })
        folder = inner
      }
      folder.entries.push({ mode, name, oid })
    }
    const write = async ({ entries, folders }: Folder): Promise<string> => {
      const trees: Array<TreeEntry> = []
      for (const [name, folder] of folders) trees.push({ mode: modes.tree, name, oid: await write(folder) })
      return this.write("tree", formatTree([...entries, ...trees]))
    }
    return await write(root)
  }

  /** Whether at most one object has an id with this prefix. */
  isUnique(prefix: string): boolean {
    // Collisions of 7 digits need thousands of objects, so only loose ones are checked.
    const entries = this.#system.list(`${this.#gitdir}/objects/${prefix.slice(0, 2)}`)
    const rest = prefix.slice(2)
    return typeof entries === "number" || entries.filter(({ name }) => name.startsWith(rest)).length <= 1
  }

  /** The whole id of an abbreviated one; `undefined` if there is none. */
  async expand(prefix: string): Promise<string | undefined> {
    if (prefix.length === 40) return await this.readIfExists(prefix) === undefined ? undefined : prefix
    const { expandOid } = await this.library()
    try {
      return await expandOid({ fs: this.fs, cache: this.cache, gitdir: this.#gitdir, oid: prefix })
    } catch (cause) {
      if (!(cause instanceof Error && "code" in cause)) throw cause
      if (cause.code === "AmbiguousError") throw new GitError(128, `fatal: short object ID ${prefix} is ambiguous`)
      if (cause.code === "NotFoundError") return undefined
      throw cause
    }
  }
}
