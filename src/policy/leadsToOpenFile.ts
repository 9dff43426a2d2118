/**
 * Finds words that name an open file (`/dev/stdin`, also as `stdin` in `/dev`, or through a link), from which an interpreter
 * would read its code.
 */
import { absolutePath } from "../base/absolutePath.ts"
import type { CompiledRules } from "./CompiledRules.ts"

const isOpen = (path: string | undefined): boolean => path !== undefined && /^\/(?:dev|proc)(?:\/|$)/.test(path)

/** Whether a word of a command leads below `/dev` or `/proc`. A relative word in an unknown directory does not. */
export const leadsToOpenFile = (
  { directory, files }: Pick<CompiledRules, "directory" | "files">,
  word: string,
): boolean => {
  if (!word.startsWith("/") && directory === undefined) return false
  const path = word.startsWith("/") ? word : `${directory}/${word}`
  if (isOpen(absolutePath(path, "/"))) return true
  if (files === undefined) return false
  const real = files.realPath(path)
  // In this process a link to `/dev/stdin` leads to its own input: a file, or a pipe without a real path.
  const isInput = real !== undefined && [0, 1, 2].some((fd) => files.realPath(`/dev/fd/${fd}`) === real)
  return isOpen(real) || isInput || isOpen(files.realPath(path.replace(/\/[^/]*\/*$/, "/"))) ||
    (real === undefined && files.isLink(path))
}
