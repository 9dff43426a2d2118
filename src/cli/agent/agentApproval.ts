/** Makes the approval policy of `sluice agent`, and its memory of permissions. */
import * as Effect from "effect/Effect"
import { defined } from "../../base/defined.ts"
import type { FilesService } from "../../files/FilesService.ts"
import { sha256 } from "../../base/sha256.ts"
import { Journal, type JournalService } from "../../journal/Journal.ts"
import * as LocalFileSystem from "../../leaves/files/LocalFileSystem.ts"
import { nodeProcess } from "../../host/nodeProcess.ts"
import * as ApprovalMemory from "../../spell/ApprovalMemory.ts"
import * as ApprovalPolicy from "../../spell/ApprovalPolicy.ts"
import type { CliProcess } from "../CliProcess.ts"
import type { JournalLocation } from "../journal/openJournal.ts"
import { canonicalPath, ownFileRules, stateFolder } from "../ownFileRules.ts"
import { UsageError } from "../UsageError.ts"
import type { AgentFlags, ApproveMode } from "./agentSpec.ts"

const policies: Readonly<Record<ApproveMode, ApprovalPolicy.ApprovalPolicy>> = {
  "read-only": ApprovalPolicy.readOnly,
  "ask": ApprovalPolicy.ask,
  "workspace-write": ApprovalPolicy.workspaceWrite,
  "full": ApprovalPolicy.full,
}

export interface FolderMemory {
  /** Its path, for people. */
  readonly path: string
  readonly files: FilesService
  readonly name: string
}

/** The folder of this machine whose files the agent changes. */
const workspaceOf = ({ cwd, sandbox, url }: AgentFlags): string | undefined =>
  sandbox || url !== undefined ? undefined : canonicalPath(cwd ?? ".")

/**
 * The file with answers for the folder; `undefined` in a sandbox, on a server, and if the user has no folder for state.
 */
export const openFolderMemory = (flags: AgentFlags, cli: CliProcess): Effect.Effect<FolderMemory | undefined> =>
  Effect.gen(function* () {
    const workspace = workspaceOf(flags)
    const root = stateFolder(cli)
    if (workspace === undefined || root === undefined) return undefined
    yield* Effect.try(() =>
      nodeProcess()?.getBuiltinModule("node:fs").mkdirSync(root, { recursive: true, mode: 0o700 })
    )
    const files = yield* LocalFileSystem.make({ rootPath: root })
    const last = workspace.replace(/^.*[/\\]/s, "").replace(/[^\w.-]+/g, "_").slice(0, 60)
    const name = `sluice/approvals/${last}-${sha256(workspace).slice(0, 16)}.json`
    return { path: `${root}/${name}`, files, name }
  }).pipe(Effect.orElseSucceed(() => undefined))

/** The calls that are allowed without a question. */
export const approveMode = ({ approve, sandbox }: Pick<AgentFlags, "approve" | "sandbox">): ApproveMode =>
  approve ?? (sandbox ? "full" : "workspace-write")

/** The policy that the flags select. Whatever the policy, the agent must not write the journal and the memory. */
export const agentPolicy = (
  flags: AgentFlags,
  cli: CliProcess,
  journal: JournalLocation | undefined,
): ApprovalPolicy.ApprovalPolicy => {
  const { otherwise, rules } = policies[approveMode(flags)]
  return {
    rules: [...rules, ...ownFileRules(cli, workspaceOf(flags), journal)],
    ...defined({ otherwise }),
  }
}

/** Earlier permissions: those of the run that is continued, and those of the folder. */
export const agentMemory = (
  { resume }: AgentFlags,
  journal: JournalService,
  folder: FolderMemory | undefined,
): Effect.Effect<ApprovalMemory.ApprovalMemory, UsageError> =>
  Effect.gen(function* () {
    const run = resume === undefined
      ? ApprovalMemory.make()
      : yield* Effect.provideService(ApprovalMemory.recorded(resume), Journal, journal)
    return folder === undefined ? run : yield* ApprovalMemory.file(folder.files, folder.name, run)
  }).pipe(Effect.mapError(({ message }) => new UsageError(message)))
