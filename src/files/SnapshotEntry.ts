/** Schemas of the snapshot of a folder and of its entries, and the comparison of two snapshots. */
import * as Schema from "effect/Schema"

/**
 * Schema of an entry of a snapshot. `path` counts from the folder. `sha256` is that of a file's content; `permissions`
 * are missing where the file system has none. `target` is the target of a link, where the file system reports it.
 */
export const SnapshotEntry: Schema.Struct<{
  readonly path: typeof Schema.String
  readonly type: Schema.Literals<readonly ["file", "directory", "link"]>
  readonly size: typeof Schema.Int
  readonly permissions: Schema.optionalKey<typeof Schema.Int>
  readonly sha256: Schema.optionalKey<typeof Schema.String>
  readonly target: Schema.optionalKey<typeof Schema.String>
}> = Schema.Struct({
  path: Schema.String,
  type: Schema.Literals(["file", "directory", "link"]),
  size: Schema.Int,
  permissions: Schema.optionalKey(Schema.Int),
  sha256: Schema.optionalKey(Schema.String),
  target: Schema.optionalKey(Schema.String),
})

/** An entry of a snapshot. */
export interface SnapshotEntry extends Schema.Schema.Type<typeof SnapshotEntry> {}

/** Schema of a snapshot: the folder, the globs that were left out, and all entries in the order of their paths. */
export const FileSnapshot: Schema.Struct<{
  readonly path: typeof Schema.String
  readonly ignore: Schema.$Array<typeof Schema.String>
  readonly entries: Schema.$Array<typeof SnapshotEntry>
}> = Schema.Struct({
  path: Schema.String,
  ignore: Schema.Array(Schema.String),
  entries: Schema.Array(SnapshotEntry),
})

/** A snapshot of a folder. */
export interface FileSnapshot extends Schema.Schema.Type<typeof FileSnapshot> {}

/** A difference of two snapshots. */
export interface SnapshotDifference {
  readonly path: string
  /**
   * The change from the first to the second snapshot. `Modified`: the content of a file, or the target of a link.
   * `Replaced`: a file has become a folder or a link, or the other way round.
   */
  readonly kind: "Created" | "Deleted" | "Modified" | "Permissions" | "Replaced"
}

const kindOf = (a: SnapshotEntry, b: SnapshotEntry): SnapshotDifference["kind"] | undefined => {
  if (a.type !== b.type) return "Replaced"
  if (a.sha256 !== b.sha256 || a.target !== b.target) return "Modified"
  const isKnown = a.permissions !== undefined && b.permissions !== undefined
  return isKnown && a.permissions !== b.permissions ? "Permissions" : undefined
}

/**
 * The differences between two snapshots, in the order of the paths. Times do not count.
 *
 * @example
 * ```ts
 * import { Files, FileSnapshot, MemoryFileSystem } from "@sluice/shell/files"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   yield* Files.write("src/a.ts", "1")
 *   const before = yield* FileSnapshot.take("src")
 *   yield* Files.write("src/a.ts", "2")
 *   return FileSnapshot.compare(before, yield* FileSnapshot.take("src"))
 * })
 * const [difference] = await Effect.runPromise(Effect.provide(program, MemoryFileSystem.layer))
 * console.log(difference?.kind, difference?.path) // Modified a.ts
 * ```
 */
export const compare = (before: FileSnapshot, after: FileSnapshot): ReadonlyArray<SnapshotDifference> => {
  const rest = new Map(after.entries.map((entry) => [entry.path, entry]))
  const differences: Array<SnapshotDifference> = []
  for (const entry of before.entries) {
    const now = rest.get(entry.path)
    rest.delete(entry.path)
    const kind = now === undefined ? "Deleted" : kindOf(entry, now)
    if (kind !== undefined) differences.push({ path: entry.path, kind })
  }
  for (const path of rest.keys()) differences.push({ path, kind: "Created" })
  return differences.toSorted((a, b) => a.path < b.path ? -1 : 1)
}
