/** Remembers the files below a folder, and compares them with listings to find changes. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { CorrelationId } from "./CorrelationId.ts"
import type { FileListingEntry } from "./FileEvent.ts"
import { FileFault } from "./FileFault.ts"
import { joinPath } from "./FilePath.ts"
import { Files } from "./Files.ts"
import type { FolderNotifications } from "./FileNotifier.ts"
import type { FilesService } from "./FilesService.ts"
import type { FileChange } from "./FileWatchEvent.ts"

export interface FolderComparisonOptions {
  readonly files: FilesService
  readonly root: string
  readonly isIgnored: (path: string) => boolean
  readonly maxEntries: number
  readonly notifications: FolderNotifications
}

type Known = Pick<FileListingEntry, "size" | "modified" | "isDirectory" | "isSymlink">

/** Maximum number of changed names of one folder that are looked up one by one; with more the folder is listed. */
const maxLookups = 16

/** Maximum number of entries of a folder that is listed to distinguish a dangling link from a deleted file. */
const maxListed = 1_024

/** Age up to which a file may have the same modification time after another write. */
const sameTimeMillis = 5_000

const isGone = ({ faultKind }: FileFault): boolean => faultKind === "NotFound" || faultKind === "NotADirectory"

const isRealFolder = ({ isDirectory, isSymlink }: Known): boolean => isDirectory && !isSymlink

const splitPath = (path: string): readonly [folder: string, name: string] => {
  const slash = path.lastIndexOf("/")
  return slash < 0 ? ["", path] : [path.slice(0, slash), path.slice(slash + 1)]
}

export class FolderComparison {
  readonly #options: FolderComparisonOptions
  readonly #folders = new Map<string, Map<string, Known>>()
  #entries = 0
  #changes = new Map<string, FileChange>()
  #newFolders: Array<string> = []

  constructor(options: FolderComparisonOptions) {
    this.#options = options
  }

  readonly all: Effect.Effect<ReadonlyArray<FileChange>, FileFault> = Effect.suspend(() =>
    this.#collect(this.#compare(this.#options.root, true))
  )

  /** The new folders found since the last call. */
  takeNewFolders(): ReadonlyArray<string> {
    const folders = this.#newFolders
    this.#newFolders = []
    return folders
  }

  /** Compares some paths; a file with a recent time counts as modified, because two writes may share that time. */
  some(paths: Iterable<string>, now: number): Effect.Effect<ReadonlyArray<FileChange>, FileFault> {
    return this.#collect(Effect.suspend(() => {
      const names = new Map<string, Set<string>>()
      for (const path of [...paths].toSorted((a, b) => a.length - b.length)) this.#group(path, names)
      return Effect.forEach(names, ([folder, changed]) => this.#compareNames(folder, changed, now), { discard: true })
    }))
  }

  /** Adds a path to the changed names of its folder, or of the nearest folder that is known. */
  #group(path: string, names: Map<string, Set<string>>): void {
    const { root } = this.#options
    if (path === root) {
      names.set(root, names.get(root) ?? new Set())
      // All entries are compared, because there are too many to look each of them up.
      names.get(root)?.add("")
      return
    }
    let [folder, name] = splitPath(path)
    while (!this.#folders.has(folder) && folder !== root && folder !== "") [folder, name] = splitPath(folder)
    if (!this.#folders.has(folder) || this.#options.isIgnored(joinPath(folder, name))) return
    const changed = names.get(folder) ?? new Set()
    names.set(folder, changed.add(name))
  }

  #collect(comparison: Effect.Effect<void, FileFault>): Effect.Effect<ReadonlyArray<FileChange>, FileFault> {
    return Effect.map(
      Effect.andThen(Effect.sync(() => (this.#changes = new Map())), comparison),
      () => [...this.#changes.values()],
    )
  }

  #emit(_tag: FileChange["_tag"], path: string, isDirectory: boolean): void {
    const before = this.#changes.get(path)
    // A file that is replaced by a folder, or the other way round, has both events.
    const key = before !== undefined && before._tag !== _tag && _tag !== "Modified" ? `${path}\0` : path
    if (before === undefined || _tag !== "Modified") this.#changes.set(key, { _tag, path, isDirectory })
  }

  #compareNames(folder: string, names: ReadonlySet<string>, now: number): Effect.Effect<void, FileFault> {
    return Effect.gen({ self: this }, function* () {
      const known = this.#folders.get(folder)
      if (known === undefined) return
      if (names.size > maxLookups || names.has("")) return yield* this.#compare(folder, false, names, now)
      for (const name of names) {
        const path = joinPath(folder, name)
        const found = yield* Effect.result(Effect.provideService(Files.stat(path), Files, this.#options.files))
        if (found._tag === "Success") yield* this.#found(folder, known, name, found.success, true, now)
        // A notification about the watched folder itself has its name, as if it contained an entry of this name.
        else if (
          isGone(found.failure) && known.size > maxListed && (known.has(name) || folder !== this.#options.root)
        ) {
          this.#gone(folder, known, name)
        } else return yield* this.#compare(folder, false, names, now)
      }
    })
  }

  /**
   * Compares the entries of a folder; `deep`: also those of the folders in it. `notified`: names that have certainly
   * changed.
   */
  #compare(
    folder: string,
    deep: boolean,
    notified: ReadonlySet<string> = new Set(),
    now = 0,
  ): Effect.Effect<void, FileFault> {
    return Effect.gen({ self: this }, function* () {
      const { isIgnored, root } = this.#options
      this.#options.notifications.addFolder(folder)
      const listed = yield* Effect.result(
        Effect.provideService(Stream.runCollect(Files.list(folder)), Files, this.#options.files),
      )
      if (listed._tag === "Failure") {
        if (folder === root) {
          this.#forget(folder)
          return yield* Effect.fail(listed.failure)
        }
        // The listing of its parent shows whether the folder is gone.
        if (isGone(listed.failure)) return
        // A folder without read permission has no entries; after any other fault its entries are unknown.
        const { faultKind } = listed.failure
        if (faultKind !== "AccessDenied" && faultKind !== "PathTooLong") return yield* Effect.fail(listed.failure)
      }
      const entries = listed._tag === "Success" ? listed.success : []
      const known = this.#folders.get(folder) ?? new Map<string, Known>()
      this.#folders.set(folder, known)
      const there = new Set<string>()
      for (const { path: name, ...entry } of entries) {
        if (isIgnored(joinPath(folder, name))) continue
        there.add(name)
        const isNotified = notified.has(name)
        yield* this.#found(folder, known, name, entry, deep || isNotified, isNotified ? now : undefined)
      }
      for (const name of [...known.keys()]) if (!there.has(name)) this.#gone(folder, known, name)
    })
  }

  /** Compares an entry with the remembered one. `now` is given if its change was notified. */
  #found(
    folder: string,
    known: Map<string, Known>,
    name: string,
    { isDirectory, isSymlink, modified, size }: Known,
    deep: boolean,
    now: number | undefined,
  ): Effect.Effect<void, FileFault> {
    return Effect.suspend(() => {
      const path = joinPath(folder, name)
      const entry: Known = { isDirectory, isSymlink, modified, size }
      let before = known.get(name)
      if (before !== undefined && (before.isDirectory !== isDirectory || before.isSymlink !== isSymlink)) {
        this.#gone(folder, known, name)
        before = undefined
      }
      known.set(name, entry)
      if (before === undefined) {
        if (++this.#entries > this.#options.maxEntries) return Effect.fail(tooMany(path, this.#options.maxEntries))
        this.#emit("Created", path, isDirectory)
        if (!isRealFolder(entry)) return Effect.void
        this.#newFolders.push(path)
        return this.#compare(path, true)
      }
      if (!isDirectory) {
        const written = now !== undefined && Math.abs(now - modified) < sameTimeMillis
        if (written || before.size !== size || before.modified !== modified) this.#emit("Modified", path, false)
        return Effect.void
      }
      if (!isRealFolder(entry)) return Effect.void
      if (!deep) return Effect.void
      if (now === undefined || this.#options.notifications.scope !== "folder") {
        return this.#compare(path, now === undefined)
      }
      // The folder of this name may have been replaced.
      this.#options.notifications.removeFolder(path)
      return this.#compare(path, true)
    })
  }

  #gone(folder: string, known: Map<string, Known>, name: string): void {
    const entry = known.get(name)
    if (entry === undefined) return
    const path = joinPath(folder, name)
    if (isRealFolder(entry)) this.#forget(path)
    known.delete(name)
    this.#entries--
    this.#emit("Deleted", path, entry.isDirectory)
  }

  #forget(folder: string): void {
    const known = this.#folders.get(folder)
    this.#options.notifications.removeFolder(folder)
    if (known === undefined) return
    for (const name of [...known.keys()]) this.#gone(folder, known, name)
    this.#folders.delete(folder)
  }
}

const tooMany = (path: string, maxEntries: number): FileFault =>
  new FileFault({
    correlationId: CorrelationId.make(),
    faultKind: "IoError",
    path,
    message: `watch: there are more than ${maxEntries} files and folders; watch a folder below, ignore some ` +
      "(node_modules, .git), or raise maxEntries (EMFILE)",
    code: "EMFILE",
  })
