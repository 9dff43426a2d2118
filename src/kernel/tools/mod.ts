/**
 * Exports programs of the sandbox that are built on npm packages: `git` over isomorphic-git, `sqlite3` over SQLite's
 * WASM build, `js-exec` over QuickJS. Each loads its package when it first runs; if the package is missing, the program
 * names the package to install and ends with 127. They are not part of `Utilities`, so a sandbox without them does not
 * bundle them.
 *
 * @module
 * @stability experimental
 */
import type { Program } from "../System.ts"

/**
 * `git COMMAND [ARGUMENT]...` on repositories in the sandbox's files, with HTTP by the sandbox's network policy. Needs the npm
 * package `isomorphic-git`.
 *
 * @example
 * ```ts
 * import { Sandbox } from "@sluice/shell/sandbox"
 * import { git } from "@sluice/shell/sandbox/tools"
 *
 * await using sandbox = await Sandbox.open({ programs: { git } })
 * const { stdout } = await sandbox.run("git init -q -b main && git status -sb")
 * console.log(stdout) // ## No commits yet on main
 * ```
 */
export const git: Program = async (system): Promise<number> => (await import("./git/git.ts")).git(system)

/**
 * `sqlite3 [OPTION]... [FILE [SQL]...]` on database files of the sandbox. Needs the npm package `@sqlite.org/sqlite-wasm`.
 *
 * @example
 * ```ts
 * import { Sandbox } from "@sluice/shell/sandbox"
 * import { sqlite3 } from "@sluice/shell/sandbox/tools"
 *
 * await using sandbox = await Sandbox.open({ programs: { sqlite3 } })
 * const { stdout } = await sandbox.run("sqlite3 :memory: 'SELECT 6 * 7'")
 * console.log(stdout) // 42
 * ```
 */
export const sqlite3: Program = async (system): Promise<number> =>
  (await import("./sqlite3/sqlite3.ts")).sqlite3(system)

/**
 * `js-exec [OPTION]... [-c CODE | FILE] [ARGUMENT]...` runs JavaScript in an engine of its own, with files and HTTP of the sandbox
 * and the modules of Node that scripts use. Needs the npm package `quickjs-wasi`. With the name `node` it answers as that.
 *
 * @example
 * ```ts
 * import { Sandbox } from "@sluice/shell/sandbox"
 * import { jsExec } from "@sluice/shell/sandbox/tools"
 *
 * await using sandbox = await Sandbox.open({ programs: { "js-exec": jsExec } })
 * const { stdout } = await sandbox.run("echo '[1, 2]' | js-exec -p 'JSON.parse(fs.readFileSync(0)).length'")
 * console.log(stdout) // 2
 * ```
 */
export const jsExec: Program = async (system): Promise<number> => (await import("./jsExec/jsExec.ts")).jsExec(system)
