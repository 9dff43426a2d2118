/** `git apply`: applies patches to files, all of them or none. Source: git-apply(1). */
import { errnoText } from "../../../Errno.ts"
import { PatchFormatError } from "../../../utilities/patch/parsePatch.ts"
import { reverseHunk } from "../../../utilities/patch/applyHunks.ts"
import { resolvePath } from "../../../utilities/shared/paths.ts"
import { type GitPatch, parseGitPatch, pathText } from "../apply/parseGitPatch.ts"
import { PatchedFiles } from "../apply/PatchedFiles.ts"
import { planPatch } from "../apply/planPatch.ts"
import { printPatchStats } from "../apply/printPatchStats.ts"
import { checkWhitespace, reportWhitespace } from "../apply/checkWhitespace.ts"
import { readFileIfExists } from "../repository/files.ts"
import { failure, fatal, GitError, unsupported } from "../GitError.ts"
import type { Command, CommandLine, Session } from "../Session.ts"
import { readStdinBytes } from "../stdin.ts"
import { linesOf } from "../diff/textLines.ts"
import { stageFile } from "./add.ts"

const readPatches = async (
  git: Session,
  line: CommandLine,
): Promise<{ readonly all: ReadonlyArray<GitPatch>; readonly whitespaceErrors: number }> => {
  const count = line.value("p")
  if (count !== undefined && !/^\d+$/.test(count)) {
    failure(`option \`p' expects a non-negative integer value, got '${count}'`, 129)
  }
  const all: Array<GitPatch> = []
  let whitespaceErrors = 0
  const names = [...line.operands, ...line.paths ?? []]
  for (const name of names.length === 0 ? ["-"] : names) {
    const stat = name === "-" ? 0 : git.system.stat(name)
    if (typeof stat === "number" && stat < 0) failure(`can't open patch '${name}': ${errnoText(stat)}`, 128)
    const bytes = name === "-" ? await readStdinBytes(git.system) : await readFileIfExists(git.system, name)
    const lines = linesOf(bytes ?? new Uint8Array())
    if (isApplied(line) && !line.has("R") && line.value("whitespace") !== "nowarn") {
      whitespaceErrors += await checkWhitespace(git, name === "-" ? "<stdin>" : name, lines)
    }
    try {
      for (const patch of parseGitPatch(lines, count === undefined ? undefined : Number(count))) {
        if (patch === undefined) await git.pause()
        else all.push(line.has("R") ? reversed(patch) : patch)
      }
    } catch (cause) {
      if (!(cause instanceof PatchFormatError)) throw cause
      failure(`corrupt patch at line ${/line (\d+)/.exec(cause.message)?.[1] ?? 1}`, 128)
    }
  }
  return { all, whitespaceErrors }
}

const reversed = (patch: GitPatch): GitPatch => ({
  ...patch,
  old: patch.new,
  new: patch.old,
  oldMode: patch.newMode,
  newMode: patch.oldMode,
  hunks: patch.hunks.map(reverseHunk),
})

/** Whether files are changed: not with `--check` and `--stat` alone. */
const isApplied = (line: CommandLine): boolean =>
  line.has("apply") || !(line.has("check") || line.has("stat") || line.has("numstat"))

const describe = (patch: GitPatch): string =>
  patch.old === patch.new || patch.old === undefined || patch.new === undefined
    ? patch.new ?? patch.old ?? ""
    : `${patch.old} => ${patch.new}`

/** The paths of a patch as text, from the top; `undefined` if it is outside of the working directory. */
const placed = (patch: GitPatch, prefix: string, directory: string): GitPatch | undefined => {
  const place = (path: string | undefined): string | undefined =>
    path === undefined ? undefined : `${patch.isGit ? "" : prefix}${directory}${pathText(path)}`
  const [old, changed] = [place(patch.old), place(patch.new)]
  return (changed ?? old ?? "").startsWith(prefix) ? { ...patch, old, new: changed } : undefined
}

const spec = "R|reverse p: v|verbose q|quiet check apply stat numstat index whitespace: directory: allow-empty " +
  "3|3way cached reject summary recount unidiff-zero C: N|intent-to-add"

export const apply: Command = async (git, args) => {
  const line = git.parse("apply", spec, args)
  for (const option of ["3", "cached", "reject", "summary", "recount", "unidiff-zero", "C", "N"]) {
    if (line.has(option)) {
      unsupported(`git apply ${option.length === 1 ? "-" : "--"}${option}`, "patch -p1 applies with fuzz")
    }
  }
  const whitespace = line.value("whitespace") ?? "warn"
  if (!["warn", "nowarn"].includes(whitespace)) {
    unsupported(`git apply --whitespace=${whitespace}`, "warn and nowarn are")
  }
  const repository = await git.hasRepository() ? await git.worktree() : undefined
  if (line.has("index") && repository === undefined) failure("'--index' outside a repository", 128)
  const given = line.value("directory") ?? ""
  const directory = given === "" || given.endsWith("/") ? given : `${given}/`
  const { all, whitespaceErrors } = await readPatches(git, line)
  if (all.length === 0) {
    if (line.has("allow-empty")) return 0
    return failure('No valid patches in input (allow with "--allow-empty")', 128)
  }
  const patches = all.flatMap((patch) => placed(patch, repository?.prefix ?? "", directory) ?? [])
  const top = repository?.top ?? resolvePath(git.system, ".", "all")
  if (typeof top !== "string") return fatal("the working directory does not exist")
  const files = new PatchedFiles(git, top === "/" ? "" : top)
  const isVerbose = line.has("v")
  let failed = false
  if (isApplied(line) || line.has("check")) {
    for (const patch of patches) {
      if (isVerbose) git.warn(`Checking patch ${describe(patch)}...`)
      try {
        await planPatch(git, files, patch, line.has("index") ? repository : undefined, isVerbose)
      } catch (cause) {
        if (!(cause instanceof GitError) || cause.exitCode !== 1) throw cause
        git.warn(cause.message)
        failed = true
      }
    }
  }
  if (failed) return 1
  if (isApplied(line)) {
    await files.write()
    if (isVerbose) { for (const patch of patches) git.warn(`Applied patch ${describe(patch)} cleanly.`) }
    if (line.has("index") && repository !== undefined) {
      for (const path of files.paths) await stageFile(repository, path)
      await (await repository.index()).write()
    }
  }
  reportWhitespace(git, whitespaceErrors)
  printPatchStats(git, patches, line.has)
  return 0
}
