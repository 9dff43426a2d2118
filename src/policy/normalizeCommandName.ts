/** Normalizes a command path to the name that tables and rules use. */

/** The name by which tables and rules know a command: without its directory, and on Windows without its extension. */
export const normalizeCommandName = (name: string, platform: "posix" | "windows"): string => {
  const last = name.slice(Math.max(name.lastIndexOf("/"), platform === "windows" ? name.lastIndexOf("\\") : -1) + 1)
  return platform === "windows" ? last.toLowerCase().replace(/\.(?:exe|com|cmd|bat|ps1)$/, "") : last
}
