/**
 * Exports the Git branch: status, diff, log, commits and branches of a repository, by the program git or by a script.
 *
 * @module
 */
export { Git, type GitService } from "./Git.ts"
export { GitBranch } from "./GitBranch.ts"
export * from "./GitEntry.ts"
export * as MockGit from "./MockGit.ts"
export * as ShellGit from "./ShellGit.ts"
