/**
 * Reads names of users and groups by their numbers from `/etc/passwd` and `/etc/group`.
 *
 * Source: passwd(5), group(5).
 */
import type * as NodeFs from "node:fs"

/** Names by number; none where the file cannot be read. */
export const accountNames = (fs: typeof NodeFs, file: "/etc/passwd" | "/etc/group"): Map<number, string> => {
  const names = new Map<number, string>()
  try {
    for (const line of fs.readFileSync(file, "utf8").split("\n")) {
      const [name = "", , id = ""] = line.split(":")
      if (/^[0-9]+$/.test(id) && !names.has(Number(id))) names.set(Number(id), name)
    }
  } catch {
    // Numbers tell enough.
  }
  return names
}
