/**
 * Tells whether a path of a tree may be written to the work tree: not where macOS or Windows would take a part of it for `.git`,
 * since a mounted folder may be one of theirs. Source: `verify_path` of git, with core.protectHFS and core.protectNTFS.
 */
import { modes } from "./objects.ts"

/** Characters that HFS+ ignores in names. */
const ignored = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/gu
/** NTFS ignores dots and spaces at the end, and has streams after a colon. */
const ntfsRest = "[ .]*(:.*)?$"
const ntfsGit = new RegExp(`^(\\.git|git~1)${ntfsRest}`, "is")
/** The short names of `.gitmodules`, which git reads before it looks at a link. */
const ntfsModules = new RegExp(`^(\\.gitmodules|gitmod~[1-4]|gi7eba~[1-9])${ntfsRest}`, "is")

/** `path` as in a tree; a backslash begins a part on Windows. */
export const isSafePath = (path: string, mode: number): boolean =>
  path.split("/").every((name) => name !== "" && name !== "." && name !== "..") &&
  path.split(/[/\\]/).every((part) => {
    const onMac = part.replace(ignored, "").toLowerCase()
    if (onMac === ".git" || ntfsGit.test(part)) return false
    return mode !== modes.link || (onMac !== ".gitmodules" && !ntfsModules.test(part))
  })
