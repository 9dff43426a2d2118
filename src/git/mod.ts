/**
 * Exports the Git branch: status, diff, log, files, commits, branches and pull requests of a repository, by the program git,
 * over the APIs of GitHub and GitLab, or by a script.
 *
 * @module
 */
export { Git, type GitService } from "./Git.ts"
export { GitBranch } from "./GitBranch.ts"
export * from "./GitEntry.ts"
export * as GitHubGit from "./GitHubGit.ts"
export * as GitLabGit from "./GitLabGit.ts"
export * as MockGit from "./MockGit.ts"
export * as ShellGit from "./ShellGit.ts"
