/**
 * Exports the Git branch: status, diff, log, files, commits, branches and pull requests of a repository, with the git
 * program, over the APIs of GitHub and GitLab, or scripted.
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
