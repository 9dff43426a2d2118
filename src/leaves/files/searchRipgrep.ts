/**
 * Preselects with ripgrep the files of a folder of this machine that may match a pattern.
 *
 * `FileSearch` then reads these files through the leaf, which checks every path, so a folder that is swapped during
 * ripgrep's walk reveals nothing. The result stays the same as long as ripgrep omits no file, so ripgrep searches
 * hidden and binary files too, with a pattern that matches at least as much as RE2's.
 *
 * Source: rg(1); https://docs.rs/regex/latest/regex/#syntax; https://github.com/google/re2/wiki/Syntax.
 */
import * as Effect from "effect/Effect"
import { ShellExec } from "../../command/ShellExec.ts"
import { joinPath } from "../../files/FilePath.ts"
import { headBytes, isBinaryHead } from "../../files/FileSearchScanner.ts"
import type { CandidateQuery, FileCandidates, FilesService } from "../../files/FilesService.ts"
import { Files } from "../../files/Files.ts"
import { Shell } from "../../shell/Shell.ts"
import type { ShellService } from "../../shell/ShellService.ts"

/** Maximum bytes of paths in ripgrep's answer; beyond it, the files are read one by one. */
const maxOutputBytes = 32 * 1024 * 1024

/**
 * Time after which ripgrep is probably busy with a large binary file: `FileSearch` skips such a file after its first
 * bytes, but ripgrep reads all of it and keeps it in memory as one line.
 */
const patience = "500 millis"

const maxSize = "16M"
const maxExcluded = 1_000

/**
 * Bytes that are not UTF-8: RE2 sees up to three of them as one U+FFFD, and ripgrep's Unicode classes do not match
 * them.
 */
const invalidBytes = "(?-u:[\\x80-\\xff]{1,3})"

/** Classes that are ASCII in RE2 and Unicode in ripgrep. */
const asciiClasses: Readonly<Record<string, string>> = {
  d: "0-9",
  D: "^0-9",
  w: "0-9A-Za-z_",
  W: "^0-9A-Za-z_",
  s: "\\t\\n\\x0c\\r ",
  S: "^\\t\\n\\x0c\\r ",
}

const isNegated = (set: string): boolean => set.startsWith("^")

const withInvalid = (set: string): string => isNegated(set) ? `(?:[${set}]|${invalidBytes})` : `[${set}]`

/** The set that begins after `[`, translated, and where it ends; `undefined` for a set that means something else there. */
const translateSet = (pattern: string, from: number): readonly [text: string, end: number] | undefined => {
  let at = from
  let set = pattern[at] === "^" ? pattern[at++] ?? "" : ""
  for (const first = at; at < pattern.length; at++) {
    const character = pattern[at] ?? ""
    if (character === "]" && at > first) return [withInvalid(set), at]
    if (character === "\\") {
      const next = pattern[++at] ?? ""
      const ascii = asciiClasses[next]
      if (ascii !== undefined && !isNegated(ascii)) set += ascii
      else if (/[nrtf]/.test(next) || /[^\w\s]/.test(next) && next < "\x7f") set += `\\${next}`
      else return undefined
      // In ripgrep's syntax these characters begin nested sets and operators between sets.
    } else if (/[[\]&~]/.test(character)) set += `\\${character}`
    else if (character === "-" && pattern[at + 1] === "-") return undefined
    else set += character
  }
  return undefined
}

/** Translates a pattern of RE2 to one of ripgrep that matches at least as much; `undefined` where no such one is known. */
export const toRipgrepPattern = (pattern: string): string | undefined => {
  let translated = ""
  let isAfterEnd = false
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at] ?? ""
    if (character === "\\") {
      const next = pattern[++at] ?? ""
      const ascii = asciiClasses[next]
      if (ascii !== undefined) translated += withInvalid(ascii)
      else if (next === "b" || next === "B") {
        if (isAfterEnd) return undefined
        translated += `(?-u:\\${next})`
      } else if (/[rtf]/.test(next) || /[^\w\s]/.test(next) && next < "\x7f") translated += `\\${next}`
      else return undefined
    } else if (character === "[") {
      if (pattern[at + 1] === "[" && pattern[at + 2] === ":") return undefined
      const set = translateSet(pattern, at + 1)
      if (set === undefined) return undefined
      translated += set[0]
      at = set[1]
    } else if (character === "(" && pattern[at + 1] === "?") {
      if (pattern[at + 2] !== ":") return undefined
      translated += character
      // The line of a match has no CR at its end. ripgrep's own flag for that matches no CR anywhere. A pattern that may
      // match at the end of the line then also matches after its CR, except for an assertion.
    } else if (character === "$") {
      translated += "(?:\\r?$)"
      isAfterEnd = true
    } else if (character === "^" && isAfterEnd) return undefined
    else if (character === ".") translated += `(?:.|${invalidBytes})`
    else translated += character
  }
  return translated
}

/** The type of file names that globs allow, where the last name of each is simple. */
const typeFlags = (globs: ReadonlyArray<string>): ReadonlyArray<string> => {
  const names = globs.filter((glob) => !glob.startsWith("!")).map((glob) => glob.slice(glob.lastIndexOf("/") + 1))
  const isSimple = names.length > 0 && names.every((name) => /^[\w.*-]+$/.test(name) && !name.includes("**"))
  return isSimple ? [...names.flatMap((name) => ["--type-add", `wanted:${name}`]), "--type", "wanted"] : []
}

/** Flags of every run: the same files, whatever is configured on this machine. */
const walkFlags = (gitignore: boolean): ReadonlyArray<string> => [
  "--no-config",
  "--null",
  "--color=never",
  "--no-messages",
  "--no-follow",
  "--hidden",
  "--path-separator=/",
  "--glob=!.git",
  ...(gitignore
    ? ["--no-require-git", "--no-ignore-dot", "--no-ignore-exclude", "--no-ignore-global", "--no-ignore-parent"]
    : ["--no-ignore"]),
]

/**
 * Matches a line of `.gitignore` that ripgrep reads differently from git: to ripgrep, braces mean alternatives, and
 * white space at the end, even a tab, is not part of a pattern.
 */
const readOtherwise = /^(?:[^#\n].*)?[{}]|[^\S\r\n]\r?$/m

const pathOf = (folder: string): string => folder === "" ? "./" : `./${folder}`

/** The arguments of ripgrep for a query; `undefined` for a pattern that it might match otherwise. */
export const ripgrepArguments = (
  { folder, gitignore, globs, ignoreCase, literal, pattern }: CandidateQuery,
): ReadonlyArray<string> | undefined => {
  const translated = literal ? pattern : toRipgrepPattern(pattern)
  if (translated === undefined || pattern.includes("\ufffd")) return undefined
  return [
    ...walkFlags(gitignore),
    "--files-with-matches",
    "--no-mmap",
    "--text",
    ...typeFlags(globs),
    ...(ignoreCase ? ["--ignore-case"] : ["--case-sensitive"]),
    ...(literal ? ["--fixed-strings"] : []),
    "-e",
    translated,
    "--",
    pathOf(folder),
  ]
}

/** The flag that leaves out one file; for a name with white space at its end, which globs lose, there is none. */
const excludeFlag = (path: string): ReadonlyArray<string> =>
  path === path.trimEnd() ? [`--glob=!/${path.replace(/[\\*?[\]{}!]/g, "\\$&")}`] : []

const pathsOf = (stdout: string): ReadonlyArray<string> => stdout.split("\0").slice(0, -1).map((path) => path.slice(2))

/**
 * Makes the function that finds candidates in a working directory: `undefined` if ripgrep is not installed, or fails.
 */
export const makeRipgrep = (
  shell: ShellService,
  files: FilesService,
): Effect.Effect<(cwd: string, query: CandidateQuery) => Effect.Effect<FileCandidates | undefined>> =>
  Effect.gen(function* () {
    const run = (words: ReadonlyArray<string>, cwd: string) =>
      Effect.provideService(Shell.run(ShellExec.make("rg", words, { cwd, maxOutputBytes })), Shell, shell)

    const provideFiles = Effect.provideService(Files, files)

    const isBinary = (path: string) =>
      Files.read(path, { length: headBytes }).pipe(
        Effect.map(isBinaryHead),
        // A name with a control character is not a valid path, so the file is not searched either.
        Effect.catch(({ faultKind }) => Effect.succeed(faultKind === "InvalidPath")),
        provideFiles,
      )

    /** The large files that `FileSearch` skips: those that ripgrep lists without a limit of size, and not with it. */
    const findLargeBinaries = (cwd: string, { folder, gitignore, globs }: CandidateQuery) =>
      Effect.gen(function* () {
        const list = (...flags: ReadonlyArray<string>) =>
          run([...walkFlags(gitignore), ...typeFlags(globs), ...flags, "--files", "--", pathOf(folder)], cwd)
        const [all, small] = yield* Effect.all([list(), list(`--max-filesize=${maxSize}`)], { concurrency: 2 })
        if (all.stdoutBytesOmitted > 0 || small.stdoutBytesOmitted > 0) return []
        const isSmall = new Set(pathsOf(small.stdout))
        const large = pathsOf(all.stdout).filter((path) => !isSmall.has(path))
        return yield* Effect.filter(large.slice(0, maxExcluded), isBinary, { concurrency: 4 })
      })

    /** Searches. If large binary files make the search slow, a second search without them is faster. */
    const search = (words: ReadonlyArray<string>, cwd: string, query: CandidateQuery) => {
      const withoutBinaries = Effect.gen(function* () {
        yield* Effect.sleep(patience)
        const excluded = (yield* findLargeBinaries(cwd, query)).flatMap(excludeFlag)
        return excluded.length === 0 ? yield* Effect.never : yield* run([...excluded, ...words], cwd)
      })
      return Effect.raceFirst(run(words, cwd), Effect.catch(withoutBinaries, () => Effect.never))
    }

    /** Before version 14, no flag kept ripgrep from reading `.rgignore` files. */
    const readsRgignore = yield* Effect.cached(
      Effect.map(
        run(["--no-config", "--version"], "."),
        ({ stdout }) => Number(/ripgrep (\d+)/.exec(stdout)?.[1] ?? 0) < 14,
      ),
    )

    /** The `.gitignore` files; `undefined` where ripgrep may leave out more than git does. */
    const findGitignores = (cwd: string, folder: string) =>
      Effect.gen(function* () {
        const words = [...walkFlags(true), "--files", "--glob=.gitignore", "--glob=.rgignore", "--", pathOf(folder)]
        const { exitCode, stdout, stdoutBytesOmitted } = yield* run(words, cwd)
        if (exitCode > 1 || stdoutBytesOmitted > 0) return undefined
        const found = pathsOf(stdout)
        if (found.some((path) => path.endsWith(".rgignore")) && (yield* readsRgignore)) return undefined
        for (const path of found) {
          if (readOtherwise.test(yield* provideFiles(Files.readText(path)))) return undefined
        }
        // ripgrep follows such a file if it is a link, but does not list it; links in deeper folders are not visible
        // here.
        const own = yield* Effect.option(provideFiles(Files.stat(joinPath(folder, ".gitignore"))))
        if (own._tag === "Some" && own.value.isSymlink) return undefined
        return found
      })

    return (cwd, query) =>
      Effect.gen(function* () {
        const words = ripgrepArguments(query)
        if (words === undefined) return undefined
        const [gitignores, { exitCode, stderr, stdout, stdoutBytesOmitted }] = yield* Effect.all([
          query.gitignore ? findGitignores(cwd, query.folder) : Effect.succeed([]),
          search(words, cwd, query),
        ], { concurrency: 2 })
        if (gitignores === undefined) return undefined
        // ripgrep exits with 2 for a pattern that it refuses, with a message, and for a file that it cannot read,
        // without one.
        return exitCode > 2 || stderr !== "" || stdoutBytesOmitted > 0
          ? undefined
          : { gitignores, paths: pathsOf(stdout) }
      }).pipe(Effect.orElseSucceed(() => undefined))
  })
