/** Runs the git program in one repository, within limits, and converts failed exits to faults. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { ByteBuffer } from "../base/ByteBuffer.ts"
import { listSettings, programsOf, readSettings } from "../policy/gitPrograms.ts"
import type { ShellOutput } from "../command/ShellEvent.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import { Shell } from "../shell/Shell.ts"
import type { ShellService } from "../shell/ShellService.ts"
import { gitFault } from "./GitBranch.ts"
import type { GitFault, GitFaultKind, GitRequest } from "./GitEntry.ts"
import { hardenedGit } from "./hardenedGit.ts"

export type Words = ReadonlyArray<string>

/** The repository that a leaf works in, and the limits of each command. */
export interface GitRepository {
  readonly shell: ShellService
  readonly root: string
  readonly maxBytes: number
  readonly timeout: number
}

/** Messages of git, which are English because `LC_ALL` is C. */
const kinds: ReadonlyArray<readonly [pattern: RegExp, kind: GitFaultKind]> = [
  [/not a git repository/i, "NotARepository"],
  [/already exists/i, "AlreadyExists"],
  [/unknown revision|bad revision|invalid reference|did not match any file|needed a single revision/i, "NotFound"],
  [
    /(not a valid|invalid) object name|does not exist in|exists on disk, but not in|could not get object info/i,
    "NotFound",
  ],
  [/not updating refs|cannot lock ref/i, "Conflict"],
  [/bad file$/i, "InvalidRequest"],
]

const shellFault = (request: GitRequest, { message, reason }: ShellFault): GitFault =>
  gitFault(request, reason._tag === "Timeout" ? "Timeout" : "Failed", message)

const exitFault = (request: GitRequest, text: string, exitCode: number | null): GitFault => {
  const said = text.trim().slice(0, 1_000)
  const kind = kinds.find(([pattern]) => pattern.test(said))?.[1] ?? "Failed"
  return gitFault(request, kind, said || `git exited with ${exitCode}`)
}

const tooLarge = (request: GitRequest, maxBytes: number): GitFault =>
  gitFault(request, "TooLarge", `the answer is larger than ${maxBytes} bytes`)

/** Runs git, which may exit with one of `codes`, without the programs of settings that are `disabled`. */
export const runGit = (
  { maxBytes, root, shell, timeout }: GitRepository,
  request: GitRequest,
  disabled: Words,
  args: Words,
  codes: ReadonlyArray<number> = [0],
  input?: string | Uint8Array,
): Effect.Effect<ShellOutput, GitFault> =>
  Shell.run(hardenedGit(root, args, disabled, { input, timeout, maxOutputBytes: maxBytes })).pipe(
    Effect.provideService(Shell, shell),
    Effect.mapError((fault) => shellFault(request, fault)),
    Effect.filterOrFail(({ stdoutBytesOmitted }) => stdoutBytesOmitted === 0, () => tooLarge(request, maxBytes)),
    Effect.filterOrFail(
      ({ exitCode }) => codes.includes(exitCode),
      ({ exitCode, stderr, stdout }) => exitFault(request, stderr.trim() || stdout.trim(), exitCode),
    ),
  )

/** The bytes that git prints: a file need not be text. */
export const readGitBytes = (
  { maxBytes, root, shell, timeout }: GitRepository,
  request: GitRequest,
  disabled: Words,
  args: Words,
): Effect.Effect<Uint8Array, GitFault> =>
  Effect.gen(function* () {
    const stdout = new ByteBuffer(maxBytes)
    const stderr = new ByteBuffer(10_000)
    const exec = hardenedGit(root, args, disabled, { timeout })
    let exitCode: number | null = null
    yield* Stream.runForEach(Stream.mapError(shell.bytes(exec), (fault) => shellFault(request, fault)), (event) => {
      if (event._tag === "ShellOutput") exitCode = event.exitCode
      else if (event.stream === "stderr") stderr.push(event.bytes)
      else if (!stdout.push(event.bytes)) return tooLarge(request, maxBytes)
      return Effect.void
    })
    if (exitCode === 0) return stdout.bytes
    return yield* exitFault(request, new TextDecoder().decode(stderr.bytes), exitCode)
  })

/** The settings that run programs and belong to the repository, not to the user. */
export const ownPrograms = (repository: GitRepository, request: GitRequest): Effect.Effect<Words, GitFault> =>
  Effect.map(runGit(repository, request, [], listSettings), ({ stdout }) => programsOf(readSettings(stdout)))
