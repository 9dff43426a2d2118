/** Builds the book of spells and their services that `sluice mcp --spells` serves, from its flags. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { assumeValidOptions } from "../../base/attemptOptions.ts"
import { errorMessage } from "../../base/errorMessage.ts"
import { journalRequests } from "../../branch/journalRequests.ts"
import { Files } from "../../files/Files.ts"
import type { FilesService } from "../../files/FilesService.ts"
import { FileSystemBranch } from "../../files/FileSystemBranch.ts"
import type { Journal } from "../../journal/JournalService.ts"
import { errnoText } from "../../kernel/Errno.ts"
import { memory } from "../../kernel/fs/memory.ts"
import type { Volume } from "../../kernel/fs/Node.ts"
import { hostFiles } from "../../kernel/fs/nodeHostFiles.ts"
import * as KernelFileSystem from "../../leaves/files/KernelFileSystem.ts"
import * as LocalFileSystem from "../../leaves/files/LocalFileSystem.ts"
import * as KernelShell from "../../leaves/kernel/KernelShell.ts"
import { make as makeSandbox } from "../../sandbox/Sandbox.ts"
import type { Shell } from "../../shell/Shell.ts"
import type { ShellService } from "../../shell/ShellService.ts"
import { standard } from "../../spell/builtin/standard.ts"
import { ProcessTable } from "../../spell/ProcessTable.ts"
import { select, type Spellbook } from "../../spell/makeSpellbook.ts"
import type { IsolationRequest } from "../isolationFlags.ts"
import { filesBesideCommands } from "../filesBesideCommands.ts"
import { canonicalPath } from "../ownFileRules.ts"
import { openVolume } from "../sandbox/makeSandboxOptions.ts"
import { UsageError } from "../UsageError.ts"
import type { CliContext } from "../withLocalShell.ts"
import type { SpellFlags } from "./mcpSpec.ts"

/** The spells that run commands, and those on running processes. */
const starters = ["run_command", "run_script", "execute_code", "start_process"]
const followers = ["read_output", "send_input", "stop_process"]

/** The folder of a sandbox that its spells see. */
const workspace = "/workspace"

/**
 * The spells that the flags select: `--read-only` leaves out those that change something, and a policy without commands
 * those that run commands, because a model must not be offered spells that are always refused.
 */
export const chooseSpells = (
  { "read-only": isReadOnly, spell: names }: SpellFlags,
  canRun: boolean,
): Result.Result<Spellbook<Files | Shell | ProcessTable>, UsageError> =>
  Result.gen(function* () {
    // The names are texts of the user's: whether they are of the book is to be seen.
    const all: Spellbook<Files | Shell | ProcessTable> = standard
    const chosen = names.length === 0 ? all : yield* Result.try({
      try: () => select(all, names),
      catch: (error) => new UsageError(`--spell: ${errorMessage(error)}`),
    })
    const useful = [...chosen.spells.values()]
      .filter((spell) => spell.readOnly || !isReadOnly)
      .map(({ name }) => name)
      .filter((name) => canRun || !starters.includes(name))
    const canStart = useful.some((name) => starters.includes(name))
    const served = useful.filter((name) => canStart || !followers.includes(name))
    if (served.length === 0) {
      const why = isReadOnly ? "--read-only leaves out those that change something" : "no command may run"
      return yield* Result.fail(new UsageError(`--spells: no spells are left to serve: ${why}`))
    }
    return select(chosen, served)
  })

export interface SpellServices {
  readonly shell: ShellService
  /** The folder of this machine that commands may run in; `undefined` in a sandbox. */
  readonly root: string | undefined
  /** The canonical path of the folder of this machine whose files spells change; `undefined` for files in memory. */
  readonly folder: string | undefined
  /** Adds the files, which the journal records, and the table of processes. */
  readonly withFiles: (
    context: Context.Context<Shell | Journal>,
  ) => Effect.Effect<Context.Context<Files | Shell | Journal | ProcessTable>, never, Scope.Scope>
}

const withFiles = (files: FilesService): SpellServices["withFiles"] => (context) =>
  Effect.gen(function* () {
    const recorded = yield* journalRequests(FileSystemBranch, files)
    const table = yield* Layer.build(ProcessTable.layer)
    return Context.merge(table, Context.add(context, Files, { ...files, ...recorded }))
  }).pipe(Effect.provide(context))

const writable = ({ "read-only": isReadOnly }: SpellFlags) => ({ allowWrite: !isReadOnly, allowDelete: !isReadOnly })

const failed = ({ message }: { readonly message: string }): UsageError => new UsageError(`--root: ${message}`)

/** The services on this machine, with the files below `--root`; `canRun`: whether spells run commands on them. */
export const localSpellServices = (
  flags: SpellFlags,
  { output, shell }: Pick<CliContext, "output" | "shell">,
  isolation: IsolationRequest | undefined,
  canRun: boolean,
): Effect.Effect<SpellServices, UsageError> =>
  Effect.gen(function* () {
    const { root: rootPath = "." } = flags
    const rules = canRun || isolation !== undefined ? yield* filesBesideCommands(rootPath, isolation, output) : {}
    const files = yield* Effect.mapError(LocalFileSystem.make({ rootPath, ...rules, ...writable(flags) }), failed)
    const root = hostFiles().realFolder(rootPath)
    if (typeof root === "number") return yield* Effect.fail(new UsageError(`--root: ${rootPath}: ${errnoText(root)}`))
    if (root.includes(",")) {
      return yield* Effect.fail(new UsageError(`--root: ${root} has a comma, which a list of folders cannot hold`))
    }
    return { shell, root: root === "" ? "/" : root, folder: canonicalPath(rootPath), withFiles: withFiles(files) }
  })

const volumeOf = ({ "read-only": isReadOnly, root }: SpellFlags): Effect.Effect<Volume, UsageError> =>
  root === undefined
    ? Effect.sync(() => memory({ maxBytes: 256 * 1024 * 1024, maxFiles: 262_144 }))
    : Effect.map(openVolume("--root", root, isReadOnly ? "ro" : "rw"), ({ volume }) => volume)

/** The services of a sandbox that lives until the scope closes; its spells see the folder that `--root` is mounted at. */
export const sandboxSpellServices = (flags: SpellFlags): Effect.Effect<SpellServices, UsageError, Scope.Scope> =>
  Effect.gen(function* () {
    const mounts = { [workspace]: yield* volumeOf(flags) }
    const sandbox = yield* Effect.mapError(makeSandbox({ mounts, cwd: workspace }), failed)
    const files = yield* Effect.mapError(
      KernelFileSystem.make(sandbox, { rootPath: workspace, ...writable(flags) }),
      failed,
    )
    const folder = flags.root === undefined ? undefined : canonicalPath(flags.root)
    return {
      shell: yield* assumeValidOptions(KernelShell.make(sandbox)),
      root: undefined,
      folder,
      withFiles: withFiles(files),
    }
  })
