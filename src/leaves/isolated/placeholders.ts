/**
 * Makes empty files and folders in place of missing protected ones: only an existing path can be mounted over, and a command
 * could create the others.
 *
 * A placeholder is known by its modification time, which any other change replaces. No list of placeholders is needed,
 * which leaves of other programs would have to share, and which would be wrong after a crash.
 */
import type * as NodeFs from "node:fs"
import type { Host } from "../../host/Host.ts"

/** A file with its content, or a folder. */
export interface Placeholder {
  readonly path: string
  /** Content of the file; `undefined` for a folder. */
  readonly content?: string | undefined
}

/** Modification time of placeholders, in seconds (in 2001). Even, because some file systems count in pairs of seconds. */
export const placeholderTime = 1_000_000_008

const hasPlaceholderTime = ({ mtimeMs }: NodeFs.Stats): boolean => Math.floor(mtimeMs / 1000) === placeholderTime

const lookAt = (fs: typeof NodeFs, path: string): NodeFs.Stats | "missing" | "unreadable" => {
  try {
    return fs.lstatSync(path, { throwIfNoEntry: false }) ?? "missing"
  } catch {
    return "unreadable"
  }
}

/** Maximum age of an empty file or folder that counts as a placeholder that another leaf has not marked yet. */
const makingMillis = 2_000

/** Whether the file or folder is as empty as a placeholder, and young enough to become one. */
const mayBecomePlaceholder = (fs: typeof NodeFs, path: string, found: NodeFs.Stats): boolean => {
  if (Date.now() - found.mtimeMs > makingMillis) return false
  try {
    return found.isDirectory() ? fs.readdirSync(path).length === 0 : found.isFile() && found.size <= 2
  } catch {
    return lookAt(fs, path) === "missing"
  }
}

/** Whether a path is missing or a placeholder, also another leaf's, or one that is being made. Decided by one stat. */
const isFree = (fs: typeof NodeFs, path: string): boolean => {
  const found = lookAt(fs, path)
  return found === "missing" ||
    (found !== "unreadable" && (hasPlaceholderTime(found) || mayBecomePlaceholder(fs, path, found)))
}

/** A host that hides the placeholders of other leaves. */
export const withoutPlaceholders = (fs: typeof NodeFs, host: Host): Host => ({
  ...host,
  fileKind: (path) => isFree(fs, path) ? "none" : host.fileKind(path),
})

const noteMaking = (fs: typeof NodeFs, making: string, path: string): void => {
  try {
    fs.writeFileSync(making, path)
  } catch {
    // Without the folder of the leaf: protecting files matters more than cleaning up.
  }
}

/**
 * Makes a placeholder if the path is missing. Where this program may not write, no command may. `making`: a file that
 * holds the path until the placeholder has its time, so that the cleaner can set the time if this program is killed in
 * between.
 */
export const ensurePlaceholder = (fs: typeof NodeFs, { content, path }: Placeholder, making: string): void => {
  if (lookAt(fs, path) !== "missing") return
  try {
    noteMaking(fs, making, path)
    if (content === undefined) fs.mkdirSync(path)
    else fs.writeFileSync(path, content, { flag: "wx" })
    fs.utimesSync(path, placeholderTime, placeholderTime)
  } catch {
    // Another process has made the path, or it cannot be made.
  } finally {
    fs.rmSync(making, { force: true })
  }
}
