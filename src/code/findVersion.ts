/** Finds the interpreter of a version by commands on the same shell, so that it works on every leaf. */
import * as Effect from "effect/Effect"
import { quote } from "../base/quote.ts"
import { type CodeError, PreExecutionError, ResourceError } from "./CodeError.ts"
import type { CodeOutput } from "./CodeResult.ts"
import type { CodePlan } from "./planCode.ts"

export interface VersionQuery {
  /** The plan without a version; its command is the name to start from. */
  readonly plan: CodePlan
  /** Numbers with dots, which match by components: `3.1` matches `3.1.4` but not `3.11`. */
  readonly version: string
  readonly platform: "posix" | "windows"
  readonly run: (command: string, args: ReadonlyArray<string>) => Effect.Effect<CodeOutput, CodeError>
}

/**
 * Prints paths of `$1`; the request puts nothing else into it. A pattern without a match stays as text, which is not an
 * executable file.
 */
const listPaths = `IFS=:
for d in $PATH; do for f in "$d/$1"[0-9]*; do [ -x "$f" ] && printf '%s\\n' "$f"; done; done
for f in "\${NVM_DIR:-$HOME/.nvm}/versions/$1"/*/"bin/$1" "\${PYENV_ROOT:-$HOME/.pyenv}/versions"/*/"bin/$1" \\
  "\${RBENV_ROOT:-$HOME/.rbenv}/versions"/*/"bin/$1"; do [ -x "$f" ] && printf '%s\\n' "$f"; done
exit 0`

/** The version in a path: `/usr/bin/python3.11`, `…/versions/node/v22.1.0/bin/node`; not that in `/home/user2/bin/node`. */
const versionInPath = /\/versions\/(?:[^/]+\/)?[^/\d]*(\d+(?:\.\d+)*)\/bin\/[^/]+$|\/[^/\d]*(\d+(?:\.\d+)*)$/

const versionOf = (path: string): string => {
  const [, ofFolder, ofName] = versionInPath.exec(path) ?? []
  return ofFolder ?? ofName ?? ""
}

/** The version in the first lines of `--version`; Perl's begin with `perl 5, version 36`. */
const versionInText = /\d+(?:\.\d+)+/

/** Maximum number of listed paths whose version is queried: some may not run, such as a shim of pyenv. */
const maxAttempts = 8

const descending = (one: string, other: string): number => other.localeCompare(one, "en", { numeric: true })

/**
 * The command of the version: the name that runs without a version if it matches, then a name in PATH (`python3.11`),
 * then the path of the highest match.
 */
export const findVersion = ({ plan, platform, run, version }: VersionQuery): Effect.Effect<string, CodeError> =>
  Effect.gen(function* () {
    const { commandId, exec: { command }, language } = plan
    const stem = command.replace(/[\d.]+$/, "")
    // `python3`, then `python3.11.2`, `python3.11`.
    const named = version.split(".").map((_, at, parts) => stem + parts.slice(0, parts.length - at).join("."))
    const names = new Set([command, ...named, stem])
    const found = new Set<string>()
    const refused: Array<PreExecutionError> = []
    const matches = (other: string): boolean => `${other}.`.startsWith(`${version}.`)

    const textOf = (program: string, args: ReadonlyArray<string>): Effect.Effect<string, CodeError> =>
      run(program, args).pipe(
        // Python 2 prints its version on stderr.
        Effect.map(({ stderr, stdout }) => stdout + stderr),
        Effect.catch((error): Effect.Effect<string, CodeError> => {
          if (error._tag === "ResourceError") {
            const message = error.message.replace("exec:", `exec: ${program} ${args[0]}:`)
            return Effect.fail(new ResourceError({ ...error, message }))
          }
          if (error._tag === "ExecutionError") return Effect.succeed("")
          const { reason } = error
          if (reason._tag === "NotAllowed" || reason._tag === "PermissionDenied") refused.push(error)
          else if (reason._tag !== "NotFound" || reason.what !== "interpreter") return Effect.fail(error)
          return Effect.succeed("")
        }),
      )
    const isMatch = (program: string): Effect.Effect<boolean, CodeError> =>
      Effect.map(textOf(program, ["--version"]), (text) => {
        const [own] = versionInText.exec(text) ?? []
        if (own !== undefined) found.add(own)
        return own !== undefined && matches(own)
      })

    for (const name of names) if (yield* isMatch(name)) return name
    const listed = platform === "windows" ? "" : yield* textOf("sh", ["-c", listPaths, "sh", stem])
    const candidates = listed.split("\n")
      .map((path) => ({ path, own: versionOf(path) }))
      .filter(({ own }) => own !== "")
      .sort((one, other) => descending(one.own, other.own))
    const matching = candidates.filter(({ own }) => matches(own)).slice(0, maxAttempts)
    for (const { path } of matching) if (yield* isMatch(path)) return path
    for (const { own } of candidates) if (!matches(own)) found.add(own)
    // The name `python3.12` is less precise than `--version`.
    const versions = [...found].filter((one) => ![...found].some((other) => other.startsWith(`${one}.`)))
      .sort(descending)
    const [refusal] = refused
    if (versions.length === 0 && refusal !== undefined) return yield* refusal
    const there = versions.length === 0 ? "no version" : versions.slice(0, 20).join(", ")
    const reasons = new Set(refused.map(({ message }) => message.replace(/^exec: /, "")))
    const unasked = refusal === undefined ? "" : `; not asked: ${[...reasons].join(", ")}`
    return yield* new PreExecutionError({
      commandId,
      language,
      reason: { _tag: "VersionNotFound", version, found: versions },
      message: `exec: no ${command} of version ${version} for the language ${
        quote(language)
      }; there is ${there}${unasked} (ENOENT)`,
    })
  })
