/**
 * Moves the commands and spells of a server that was started outside of all allowed roots into the first root.
 *
 * MCP clients start servers in the home folder. The process itself stays there: paths in other flags (journal, token
 * file) are relative to it, and a change of directory would need a permission on Deno and affect everything else in the
 * process.
 */
import * as Result from "effect/Result"
import { findHost } from "../host/findHost.ts"
import { leafFiles } from "../leaves/local/plan/leafFiles.ts"
import { resolveLocalSettings } from "../leaves/local/LocalShellOptions.ts"
import { toAbsolute } from "../host/paths.ts"
import { allowDirectory } from "../policy/allowDirectory.ts"
import { type CommandPolicyRequest, rootsOf } from "./serverFlags.ts"

/** A root as an absolute path. A comma would separate it in the list. */
const absolute = (path: string, root: string): string => path.includes(",") ? root : path

/**
 * Resolves relative roots, and sets `entered` if the server is in none of them and no flag names the directory of commands. A
 * root that is no directory is left to the policy.
 */
export const enterFirstRoot = (request: CommandPolicyRequest): CommandPolicyRequest => {
  const { allowed, flags } = request
  const host = findHost()
  const named = rootsOf(allowed)
  if (allowed === undefined || host === undefined || named.length === 0) return request
  const platform = host.os === "windows" ? "windows" : "posix"
  const base = host.cwd()
  const roots = base === undefined ? named : named.map((root) => absolute(toAbsolute(platform, base, root), root))
  const placed = { ...request, allowed: { ...allowed, ALLOWED_CWD_ROOTS: roots.join(",") } }
  if (flags["default-cwd"] !== undefined) return placed
  const files = leafFiles(host, resolveLocalSettings({}), platform)
  const found = roots.map(files.directory).flatMap((root) => root._tag === "Seen" ? [root.seen.file] : [])
  const isInside = Result.isSuccess(allowDirectory(files, () => Result.succeed(found), "."))
  return isInside ? placed : { ...placed, entered: found[0] }
}
