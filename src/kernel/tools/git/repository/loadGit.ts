/** Loads isomorphic-git, an optional npm package, when git first needs it. */
import { GitError } from "../GitError.ts"

export type IsomorphicGit = typeof import("isomorphic-git")

export const loadGit = async (): Promise<IsomorphicGit> => {
  try {
    return await import("isomorphic-git")
  } catch {
    throw new GitError(
      127,
      "git: the npm package isomorphic-git could not be loaded; install it: npm install isomorphic-git",
    )
  }
}
