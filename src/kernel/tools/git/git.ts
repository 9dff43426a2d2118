/** Implements the `git` program: options before the command, the table of commands, and the end of a run. */
import type { Program } from "../../System.ts"
import { RegexError } from "../../regex/RegexError.ts"
import { Output } from "../../utilities/shared/Output.ts"
import { UtilityExit } from "../../utilities/shared/UtilityExit.ts"
import { fatal, GitError } from "./GitError.ts"
import { type Command, Session } from "./Session.ts"
import { add } from "./commands/add.ts"
import { apply } from "./commands/apply.ts"
import { blame } from "./commands/blame.ts"
import { branch } from "./commands/branch.ts"
import { catFile } from "./commands/catFile.ts"
import { checkIgnore } from "./commands/checkIgnore.ts"
import { checkout } from "./commands/checkout.ts"
import { cherryPick, revert } from "./commands/cherryPick.ts"
import { clean } from "./commands/clean.ts"
import { clone } from "./commands/clone.ts"
import { commit } from "./commands/commit.ts"
import { config } from "./commands/config.ts"
import { describe } from "./commands/describe.ts"
import { diff } from "./commands/diff.ts"
import { fetch } from "./commands/fetch.ts"
import { forEachRef } from "./commands/forEachRef.ts"
import { grep } from "./commands/grep.ts"
import { hashObject, writeTree } from "./commands/hashObject.ts"
import { init } from "./commands/init.ts"
import { log } from "./commands/log.ts"
import { lsFiles } from "./commands/lsFiles.ts"
import { lsRemote } from "./commands/lsRemote.ts"
import { lsTree } from "./commands/lsTree.ts"
import { merge } from "./commands/merge.ts"
import { mergeBase } from "./commands/mergeBase.ts"
import { mv } from "./commands/mv.ts"
import { pull } from "./commands/pull.ts"
import { push } from "./commands/push.ts"
import { rebase } from "./commands/rebase.ts"
import { reflog } from "./commands/reflog.ts"
import { remote } from "./commands/remote.ts"
import { reset } from "./commands/reset.ts"
import { restore } from "./commands/restore.ts"
import { revList } from "./commands/revList.ts"
import { revParse } from "./commands/revParse.ts"
import { rm } from "./commands/rm.ts"
import { shortlog } from "./commands/shortlog.ts"
import { show } from "./commands/show.ts"
import { showRef } from "./commands/showRef.ts"
import { stash } from "./commands/stash.ts"
import { status } from "./commands/status.ts"
import { switchCommand } from "./commands/switch.ts"
import { tag } from "./commands/tag.ts"
import { symbolicRef, updateRef } from "./commands/updateRef.ts"
import { configKey } from "./repository/Config.ts"
import { loadGit } from "./repository/loadGit.ts"

const version = "git version 2.39.5 (sluice)"

const commands: Readonly<Record<string, Command>> = {
  add,
  apply,
  blame,
  branch,
  "cat-file": catFile,
  "check-ignore": checkIgnore,
  checkout,
  "cherry-pick": cherryPick,
  clean,
  clone,
  commit,
  config,
  describe,
  diff,
  fetch,
  "for-each-ref": forEachRef,
  grep,
  "hash-object": hashObject,
  init,
  log,
  "ls-files": lsFiles,
  "ls-remote": lsRemote,
  "ls-tree": lsTree,
  merge,
  "merge-base": mergeBase,
  mv,
  pull,
  push,
  rebase,
  reflog,
  remote,
  reset,
  restore,
  "rev-list": revList,
  "rev-parse": revParse,
  revert,
  rm,
  shortlog,
  show,
  "show-ref": showRef,
  stage: add,
  stash,
  status,
  switch: switchCommand,
  "symbolic-ref": symbolicRef,
  tag,
  "update-ref": updateRef,
  "write-tree": writeTree,
}

const names = Object.keys(commands).join(", ")

interface Invocation {
  readonly overrides: Array<readonly [string, string]>
  gitdir: string | undefined
  worktree: string | undefined
  rest: ReadonlyArray<string>
}

/** Reads the options before the command. */
const readGlobalOptions = (args: ReadonlyArray<string>, changeDirectory: (path: string) => void): Invocation => {
  const found: Invocation = { overrides: [], gitdir: undefined, worktree: undefined, rest: [] }
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? ""
    const value = (name: string): string | undefined =>
      arg === name
        ? args[++at] ?? fatal(`no value given for ${name}`)
        : arg.startsWith(`${name}=`)
        ? arg.slice(name.length + 1)
        : undefined
    if (!arg.startsWith("-") || arg === "--version" || arg === "--help" || arg === "-h" || arg === "-v") {
      found.rest = args.slice(at)
      break
    }
    if (arg === "-C") changeDirectory(args[++at] ?? fatal("no directory given for '-C'"))
    else if (arg === "-c") {
      const [, key = "", text = "true"] = /^([^=]*)(?:=(.*))?$/s.exec(args[++at] ?? "") ?? []
      found.overrides.push([configKey(key), text])
    } else if (arg === "-P" || arg === "--no-pager" || arg === "--literal-pathspecs" || arg === "--no-optional-locks") {
      continue
    } else if (arg.startsWith("--git-dir")) found.gitdir = value("--git-dir")
    else if (arg.startsWith("--work-tree")) found.worktree = value("--work-tree")
    else {throw new GitError(
        129,
        `unknown option: ${arg}\nusage: git [-C <path>] [-c <name>=<value>] [--git-dir=<path>] [--work-tree=<path>] <command> [<args>]`,
      )}
  }
  return found
}

const runAlias = async (session: Session, name: string, rest: ReadonlyArray<string>): Promise<number | void> => {
  const alias = await (await session.config()).get(`alias.${name.toLowerCase()}`)
  if (alias === undefined) return undefined
  if (alias.startsWith("!")) {
    return fatal(`the alias '${name}' would start a program; git of the sandbox runs commands of git alone`)
  }
  const words = [...alias.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, double, single, plain]) =>
    double ?? single ?? plain ?? ""
  )
  const command = Object.hasOwn(commands, words[0] ?? "") ? commands[words[0] ?? ""] : undefined
  return command === undefined
    ? fatal(`the alias '${name}' names no command that git of the sandbox has`)
    : await command(session, [...words.slice(1), ...rest]) ?? 0
}

/** `git COMMAND [ARGUMENT]...`: manages repositories, over isomorphic-git. Source: git(1). */
export const git: Program = async (system) => {
  let session: Session | undefined
  const err = new Output(system, 2)
  try {
    const { gitdir, overrides, rest, worktree } = readGlobalOptions(system.args.slice(1), (path) => {
      if (system.changeDirectory(path) < 0) fatal(`cannot change to '${path}': No such file or directory`)
    })
    session = new Session(system, { overrides, gitdir, worktree })
    const [name, ...args] = rest
    let code: number | void = 0
    if (name === "--version" || name === "version" || name === "-v") session.printLine(version)
    else if (name === undefined || name === "--help" || name === "-h" || name === "help") {
      session.printLine(
        `usage: git [-C <path>] [-c <name>=<value>] <command> [<args>]\n\ngit of the sandbox has these commands: ${names}`,
      )
      code = name === undefined ? 1 : 0
    } else {
      await loadGit()
      const command = Object.hasOwn(commands, name) ? commands[name] : undefined
      if (command !== undefined) code = await command(session, args)
      else {
        const result = await runAlias(session, name, args)
        if (result === undefined) {
          throw new GitError(1, `git: '${name}' is not a command of git in the sandbox, which has: ${names}`)
        }
        code = result
      }
    }
    await session.flush()
    return code ?? 0
  } catch (cause) {
    const isKnown = cause instanceof GitError || cause instanceof UtilityExit || cause instanceof RegexError
    if (!isKnown) throw cause
    err.putText(
      cause.message === "" ? "" : `${cause instanceof GitError ? cause.message : `fatal: ${cause.message}`}\n`,
    )
    try {
      await session?.flush()
      await err.flush()
    } catch (failure) {
      if (!(failure instanceof UtilityExit)) throw failure
    }
    return cause instanceof GitError ? cause.exitCode : cause instanceof UtilityExit ? cause.exitCode ?? 128 : 128
  }
}
