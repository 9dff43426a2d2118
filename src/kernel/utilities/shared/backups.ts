/** Keeps files that `cp`, `mv` and others would overwrite, under names that their options choose. Source: cp(1). */
import type { UtilityIo } from "./defineUtility.ts"
import { baseName, dirName } from "./paths.ts"

export type Backup = "simple" | "numbered" | "existing"

const backupWords: Readonly<Record<string, Backup | "none">> = {
  ...{ none: "none", off: "none", simple: "simple", never: "simple", existing: "existing", nil: "existing" },
  ...{ numbered: "numbered", t: "numbered" },
}

/** The kind of backup of overwritten files, by the options `-b`, `--backup` and `-S`. */
export const readBackup = (io: UtilityIo): Backup | undefined => {
  if (!io.has("b") && !io.has("backup")) return undefined
  const word = io.value("backup") || io.system.env.get("VERSION_CONTROL") || "existing"
  const found = backupWords[word] ?? io.fail(`invalid argument ‘${word}’ for ‘backup type’`)
  return found === "none" ? undefined : found
}

/** Renames the file that would be overwritten. Returns whether it may be. */
export const backUp = (io: UtilityIo, path: string, backup: Backup): boolean => {
  const { system } = io
  if (typeof system.stat(path, { follow: false }) === "number" || io.isDirectory(path)) return true
  const entries = system.list(dirName(path))
  const prefix = `${baseName(path)}.~`
  const numbers = (typeof entries === "number" ? [] : entries).flatMap(({ name }) => {
    const number = name.startsWith(prefix) ? /^([0-9]+)~$/.exec(name.slice(prefix.length))?.[1] : undefined
    return number === undefined ? [] : [Number(number)]
  })
  const isNumbered = backup === "numbered" || (backup === "existing" && numbers.length > 0)
  const suffix = io.value("S") ?? system.env.get("SIMPLE_BACKUP_SUFFIX") ?? "~"
  const to = isNumbered ? `${path}.~${Math.max(0, ...numbers) + 1}~` : `${path}${suffix}`
  const renamed = system.rename(path, to)
  if (renamed < 0) io.warn(`cannot backup '${path}'`, renamed)
  return renamed >= 0
}
