/** Combines a kernel, its file system and a shell session into a sandbox. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Latch } from "../../base/waits.ts"
import type { OptionError } from "../../base/OptionError.ts"
import type { CommitOptions, CommitOutcome } from "../changes/Commit.ts"
import type { DiffOptions, SandboxDiff } from "../changes/FileChange.ts"
import { frozenBefore } from "../changes/freezeInSteps.ts"
import { freezeVolumes } from "../changes/freezeVolumes.ts"
import type { VirtualFileSystem } from "../fs/VirtualFileSystem.ts"
import type { Kernel } from "../mod.ts"
import { ShellSession } from "../shell/ShellSession.ts"
import type { SandboxError } from "./SandboxError.ts"
import { SandboxFiles, toAbsolutePath } from "./SandboxFiles.ts"
import { closed, Session, type SessionOptions } from "./Session.ts"

/** The start state of another session. */
export interface NewSessionOptions {
  /** Working directory; a relative path starts at that of the sandbox. Default: that of the sandbox. */
  readonly cwd?: string | undefined
  /** Variables added to those of the sandbox. */
  readonly env?: Readonly<Record<string, string>> | undefined
}

/** Starts a fork over a copy of the files, with a shell. */
export type SandboxStart = (
  files: VirtualFileSystem,
  shell: ShellSession,
) => Effect.Effect<SandboxService, SandboxError, Scope.Scope>

/** A sandbox. Its own runs follow each other in one session; see {@link Session}. */
export class SandboxService extends SandboxFiles {
  /** The kernel, to start processes directly. */
  readonly kernel: Kernel
  /** Runs a script to its end: see {@link Session.run}. */
  readonly run: Session["run"]
  /** Runs a script as a stream of text: see {@link Session.stream}. */
  readonly stream: Session["stream"]
  /** Runs a script as a stream of bytes: see {@link Session.bytes}. */
  readonly bytes: Session["bytes"]
  /** Working directory and environment of the first run and of processes that the host starts. */
  readonly origin: Pick<SessionOptions, "cwd" | "env">
  /** The working directory, as the last run left it. */
  readonly cwd: Session["cwd"]
  /** The environment of programs, as the last run left it. */
  readonly env: Session["env"]
  protected readonly shell: ShellSession
  readonly #session: Session
  readonly #options: SessionOptions
  readonly #start: SandboxStart
  #closed = false
  readonly #closing = new Latch()
  /** Fails once it is closed. */
  readonly #failedOnceClosed: Effect.Effect<never, SandboxError> = Effect.andThen(
    Effect.suspend(() => this.#closing.await),
    Effect.suspend(() => Effect.fail(closed())),
  )

  constructor(
    kernel: Kernel,
    fileSystem: VirtualFileSystem,
    options: Omit<SessionOptions, "isClosed">,
    start: SandboxStart,
    shell: ShellSession = new ShellSession(),
  ) {
    super(fileSystem)
    this.kernel = kernel
    this.origin = { cwd: options.cwd, env: options.env }
    this.#options = { ...options, isClosed: () => this.#closed }
    this.#start = start
    this.shell = shell
    this.#session = new Session(kernel, this.#options, shell)
    const { bytes, cwd, env, run, stream } = this.#session
    this.cwd = cwd
    this.env = env
    this.run = run
    this.stream = stream
    this.bytes = bytes
  }

  /**
   * Makes another shell in the same kernel, over the same files. Its runs are concurrent with those of the sandbox, and
   * end with it.
   *
   * @example
   * ```ts
   * import { Sandbox } from "@sluice/shell/sandbox"
   * import { Effect } from "effect"
   *
   * const program = Effect.gen(function* () {
   *   const sandbox = yield* Sandbox.make()
   *   const other = yield* sandbox.session()
   *   yield* sandbox.run("x=mine; cd /tmp")
   *   return yield* other.run('echo "$PWD ${x-none}"')
   * })
   * const { stdout } = await Effect.runPromise(Effect.scoped(program))
   * console.log(stdout) // /home/user none
   * ```
   */
  readonly session = ({ cwd, env = {} }: NewSessionOptions = {}): Effect.Effect<Session> =>
    Effect.sync(() =>
      new Session(this.kernel, {
        ...this.#options,
        cwd: cwd === undefined ? this.#options.cwd : toAbsolutePath(this.#options.cwd, cwd),
        env: Object.entries({ ...Object.fromEntries(this.#options.env), ...env }),
      })
    )

  /**
   * Makes another sandbox that starts with the state of this one: its files in memory, the changes of its overlays, and
   * the variables, functions, options and working directory of its shell. Each then changes independently. Unchanged
   * files are shared, so a fork of any size takes little time and memory.
   *
   * Waits for the run of the sandbox, as another run does. Processes and jobs are not copied. Folders of the host are
   * the same for both, and other volumes of `mounts` are created again. The fork lives until its scope is closed, even
   * if this sandbox is closed before.
   *
   * Fails with a `SandboxError` whose reason is `Closed`, or `MountFailed` (a host folder that is no longer there).
   *
   * @example
   * ```ts
   * import { Sandbox } from "@sluice/shell/sandbox"
   * import { Effect } from "effect"
   *
   * const program = Effect.gen(function* () {
   *   const sandbox = yield* Sandbox.make({ files: { "notes.txt": "draft\n" } })
   *   yield* sandbox.run("greet() { echo hello $1; }")
   *   const fork = yield* sandbox.fork
   *   yield* fork.run("echo final > notes.txt")
   *   const inFork = yield* fork.run("greet fork; cat notes.txt")
   *   const { stdout } = yield* sandbox.run("cat notes.txt")
   *   return inFork.stdout + stdout
   * })
   * console.log(await Effect.runPromise(Effect.scoped(program)))
   * // hello fork
   * // final
   * // draft
   * ```
   */
  readonly fork: Effect.Effect<SandboxService, SandboxError, Scope.Scope> = Effect.suspend(() =>
    this.#closed
      ? Effect.fail(closed())
      : this.#session.forkShell((shell) =>
        frozenBefore([this.fileSystem], Effect.suspend(() => this.#start(this.fileSystem, shell)))
      )
  )

  /**
   * Returns the differences to another sandbox, such as the one that this was forked from, or to a snapshot: as data
   * and as a unified diff that turns the other's files into those of this one. Files in memory, the changes of
   * overlays, and different folders of the host are compared in their current state; content that both share since a
   * fork is not read.
   *
   * Fails with a `SandboxError` whose reason is `FileFailed` (a file that cannot be read), `TooManyChanges`,
   * `SnapshotFailed` or
   * `MountFailed`, and with an `OptionError` for a limit that is not a whole number.
   *
   * @example
   * ```ts
   * import { Sandbox } from "@sluice/shell/sandbox"
   * import { Effect } from "effect"
   *
   * const program = Effect.gen(function* () {
   *   const sandbox = yield* Sandbox.make({ files: { "notes.txt": "draft\n" } })
   *   const fork = yield* sandbox.fork
   *   yield* fork.run("echo final > notes.txt; mkdir new")
   *   return yield* fork.diff(sandbox, { path: "/home/user" })
   * })
   * const { changes, patch } = await Effect.runPromise(Effect.scoped(program))
   * console.log(changes.map(({ change, path }) => `${change} ${path}`))
   * // [ 'added /home/user/new', 'changed /home/user/notes.txt' ]
   * console.log(patch)
   * // diff --git a/notes.txt b/notes.txt
   * // --- a/notes.txt
   * // +++ b/notes.txt
   * // @@ -1 +1 @@
   * // -draft
   * // +final
   * ```
   */
  readonly diff = (
    against: SandboxService | Uint8Array,
    options: DiffOptions = {},
  ): Effect.Effect<SandboxDiff, SandboxError | OptionError> =>
    frozenBefore(
      [this.fileSystem, ...(against instanceof Uint8Array ? [] : [against.fileSystem])],
      Effect.suspend(() => {
        const now = freezeVolumes(this.fileSystem)
        const old = against instanceof Uint8Array ? against : freezeVolumes(against.fileSystem)
        const loaded = Effect.promise(() => import("../changes/diffSandbox.ts"))
        return Effect.flatMap(loaded, ({ diffSandbox }) => diffSandbox(this.fileSystem, now, old, options))
      }),
    )

  /**
   * Writes those changes of overlays that `approve` accepts to the folders below them. All decisions come first, in the
   * order of paths; then each file is written under a temporary name and renamed, so that at any moment it is either
   * old or new. A file that others have changed since the sandbox first read it is a conflict: it stays unchanged,
   * unless `approve` answers `"overwrite"`. If a file cannot be written, its outcome has the reason, and the others are
   * still written. Afterwards the overlay shows the lower files again; uncommitted changes stay in it.
   *
   * A script that runs meanwhile may change files further: these changes stay in the overlay. Times are those of the
   * commit, and hard links become files of their own.
   *
   * Fails with a `SandboxError` whose reason is `NoOverlay` or `FileFailed` (a file that cannot be read), and with the
   * failure of `approve`; in these cases nothing was written.
   *
   * @example
   * ```ts
   * import { memory, overlay, Sandbox } from "@sluice/shell/sandbox"
   * import { Effect } from "effect"
   *
   * const program = Effect.gen(function* () {
   *   // In place of `memory()`, a folder of this machine: `hostFolder("/srv/project")`.
   *   const sandbox = yield* Sandbox.make({ mounts: { "/work": overlay(memory()) }, cwd: "/work" })
   *   yield* sandbox.run("echo hello > a.txt; echo secret > b.txt")
   *   return yield* sandbox.commit({
   *     approve: ({ path, readPatch }) => Effect.map(readPatch, (patch) => path !== "/work/b.txt" &&
   * patch.includes("+hello")),
   *   })
   * })
   * const outcomes = await Effect.runPromise(Effect.scoped(program))
   * console.log(outcomes.map(({ path, status }) => `${path} ${status}`))
   * // [ '/work/a.txt committed', '/work/b.txt declined' ]
   * ```
   */
  readonly commit = <E = never, R = never>(
    options: CommitOptions<E, R>,
  ): Effect.Effect<ReadonlyArray<CommitOutcome>, SandboxError | E, R> =>
    Effect.flatMap(
      Effect.promise(() => import("../changes/commitOverlays.ts")),
      ({ commitOverlays }) => commitOverlays(this.fileSystem, options, this.#failedOnceClosed),
    )

  /**
   * Kills everything; later runs, and a commit that has not begun to write, fail with `Closed`. Waits for the finalizers of
   * extensions that are Effects, up to five seconds. The scope runs it.
   */
  readonly close: Effect.Effect<void> = Effect.suspend(() => {
    this.#closed = true
    this.#closing.open()
    const finalizers = this.kernel.close()
    return finalizers instanceof Promise ? Effect.promise(() => finalizers) : Effect.void
  })
}
