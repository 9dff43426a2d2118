/**
 * Makes empty files and folders in place of protected ones that do not exist: only what exists can be mounted, and what is
 * not mounted could be created by a command.
 *
 * A placeholder is known by its modification time, which any other change replaces. So it needs no list, which leaves
 * of other programs would have to share, and which a crash would leave wrong.
 *
 * @module
 */
import type * as NodeFs from "node:fs"
import type { Host } from "../local/Host.ts"

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

/** Whether there is a placeholder at a path, also one of another leaf. */
const isPlaceholder = (fs: typeof NodeFs, path: string): boolean => {
  const found = lookAt(fs, path)
  return typeof found === "object" && hasPlaceholderTime(found)
}

/** A host without the placeholders of other leaves, which stand for nothing. */
export const withoutPlaceholders = (fs: typeof NodeFs, host: Host): Host => ({
  ...host,
  fileKind: (path) => isPlaceholder(fs, path) ? "none" : host.fileKind(path),
})

const noteMaking = (fs: typeof NodeFs, making: string, path: string): void => {
  try {
    fs.writeFileSync(making, path)
  } catch {
    // Without the folder of the leaf: to protect is worth more than to clean up.
  }
}

/**
 * Makes it if there is nothing. Where this program may not write, no command may. `making`: a file with its path until it has its time,
 * so that the cleaner can set that when this program is killed in between.
 */
export const ensurePlaceholder = (fs: typeof NodeFs, { content, path }: Placeholder, making: string): void => {
  if (lookAt(fs, path) !== "missing") return
  try {
    noteMaking(fs, making, path)
    if (content === undefined) fs.mkdirSync(path)
    else fs.writeFileSync(path, content, { flag: "wx" })
    fs.utimesSync(path, placeholderTime, placeholderTime)
  } catch {
    // Another process has made it, or it cannot be made.
  } finally {
    fs.rmSync(making, { force: true })
  }
}
